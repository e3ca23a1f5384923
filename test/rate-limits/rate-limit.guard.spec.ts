import { type CanActivate, Controller, type ExecutionContext, Get, Injectable, Put } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Clock } from '../../src/kernel/clock.js';
import { CLOCK, ROOST_CONFIG } from '../../src/config/roost-config.js';
import { ErrorFilter } from '../../src/http/answer/error.filter.js';
import { RateLimitLater, RateLimitTag } from '../../src/http/request/rate-limit.decorators.js';
import type { RoostRequest } from '../../src/http/request/roost-request.js';
import type { Collection } from '../../src/kernel/collections/collection.js';
import { MemoryRateLimitStore } from '../../src/rate-limits/memory-rate-limit-store.js';
import { RATE_LIMIT_STORE } from '../../src/rate-limits/rate-limit-store.js';
import { RateLimitGuard } from '../../src/rate-limits/rate-limit.guard.js';
import { RateLimiter } from '../../src/rate-limits/rate-limiter.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import { callerOf } from '../support/callers.js';
import { FakeSettings } from '../support/fake-settings.js';

/** Stands in for the guards that run before: everybody is a guest, and `:collection` is any collection. */
@Injectable()
class KnownCallerGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RoostRequest>();
    const { collection } = request.params as { collection?: string };
    request.caller = callerOf('guest', '9.9.9.9');
    request.collection = collection ? ({ id: `id_${collection}`, name: collection } as Collection) : null;
    return true;
  }
}

@Controller('api')
class RecordRoutes {
  @Get('plain')
  plain(): object {
    return {};
  }

  @Get(':collection/list')
  @RateLimitTag('list')
  list(): object {
    return {};
  }

  @Put(':collection/upsert')
  @RateLimitLater()
  upsert(): object {
    return {};
  }
}

@Controller('api/export')
@RateLimitTag('export')
class ExportRoutes {
  @Get()
  all(): object {
    return {};
  }
}

let app: NestFastifyApplication;
let settings: FakeSettings;

beforeEach(async () => {
  settings = new FakeSettings();
  const module = await Test.createTestingModule({
    controllers: [RecordRoutes, ExportRoutes],
    providers: [
      RateLimiter,
      { provide: APP_FILTER, useClass: ErrorFilter },
      { provide: APP_GUARD, useClass: KnownCallerGuard },
      { provide: APP_GUARD, useClass: RateLimitGuard },
      {
        provide: RATE_LIMIT_STORE,
        inject: [CLOCK],
        useFactory: (clock: Clock) => new MemoryRateLimitStore(clock),
      },
      { provide: SettingsService, useValue: settings },
      { provide: CLOCK, useValue: { now: () => 0 } },
      { provide: ROOST_CONFIG, useValue: { dev: false } },
    ],
  }).compile();
  app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  await app.init();
});

afterEach(() => app.close());

function limit(...labels: string[]): void {
  const rules = labels.map((label) => ({ label, audience: '' as const, duration: 7, maxRequests: 1 }));
  settings.set({ rateLimits: { enabled: true, excludedIPs: [], rules } });
}

async function ask(url: string, method: 'GET' | 'HEAD' | 'PUT' = 'GET'): Promise<number> {
  return (await app.inject({ url, method })).statusCode;
}

it('OPS-25 answers 429 with the error body and Retry-After, and allowed answers carry nothing', async () => {
  limit('/api/plain');
  const allowed = await app.inject('/api/plain');
  expect(allowed.statusCode).toBe(200);
  expect(allowed.headers).not.toHaveProperty('retry-after');
  const refused = await app.inject('/api/plain');
  expect(refused.statusCode).toBe(429);
  expect(refused.headers['retry-after']).toBe('7');
  expect(refused.json()).toEqual({ code: 429, message: expect.any(String), data: {} });
});

it('OPS-21 looks at the path as sent, without the query', async () => {
  limit('/api/plain');
  expect([await ask('/api/plain?a=1'), await ask('/api/plain?b=2')]).toEqual([200, 429]);
  limit('GET /api/');
  expect([await ask('/api/plain'), await ask('/api/plain', 'HEAD')]).toEqual([200, 429]);
});

it('OPS-39 OPS-21 a path means the same in any letter case', async () => {
  limit('/api/Plain');
  expect([await ask('/api/plain'), await ask('/api/plain')]).toEqual([200, 429]);
});

it('OPS-21 OPS-24 a tag is looked for with the collection of the route', async () => {
  limit('posts:list');
  expect([await ask('/api/posts/list'), await ask('/api/posts/list'), await ask('/api/pages/list')]).toEqual([
    200, 429, 200,
  ]);
  limit('*:list');
  expect([await ask('/api/posts/list'), await ask('/api/posts/list'), await ask('/api/pages/list')]).toEqual([
    200, 429, 200,
  ]);
});

it('EXT-12 a route of a module can be limited by its bare tag, also when the tag stands on the class', async () => {
  limit('export');
  expect([await ask('/api/export'), await ask('/api/export')]).toEqual([200, 429]);
});

it('REC-9 a route that must read its body first is left to its controller', async () => {
  limit('/api/');
  expect([await ask('/api/posts/upsert', 'PUT'), await ask('/api/posts/upsert', 'PUT')]).toEqual([200, 200]);
});

it('OPS-20 does nothing while rate limits are off', async () => {
  expect([await ask('/api/plain'), await ask('/api/plain'), await ask('/api/plain')]).toEqual([200, 200, 200]);
});

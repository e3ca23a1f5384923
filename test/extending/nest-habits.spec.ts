import {
  Catch,
  ConsoleLogger,
  Controller,
  type ExceptionFilter,
  Get,
  HttpException,
  Injectable,
  Logger,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  Post,
  ServiceUnavailableException,
  StreamableFile,
  ValidationPipe,
} from '@nestjs/common';
import { APP_FILTER, ExternalContextCreator } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import type { ServerResponse } from 'node:http';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { RequireAuth } from 'roost';
import type { TestRoost, TestRoostOptions } from 'roost/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

const NOTES = { name: 'notes', type: 'base', listRule: '', createRule: '', fields: [{ name: 'text', type: 'text' }] };
const UNKNOWN = { code: 500, message: 'Something went wrong on the server.', data: {} };

let roost: TestRoost;

const start = async (options: TestRoostOptions): Promise<TestRoost> => (roost = await startRoost(options));

afterEach(() => roost.close());

class Teapot extends Error {}

@Catch(Teapot)
class TeapotFilter implements ExceptionFilter<Teapot> {
  catch(error: Teapot, host: { switchToHttp(): { getResponse(): FastifyReply } }): void {
    void host.switchToHttp().getResponse().code(418).send({ teapot: error.message });
  }
}

@Controller('api/odd')
class OddController {
  private readonly logger = new Logger('Odd');

  @Get('stream')
  stream(): StreamableFile {
    const broken = new Readable({
      read() {
        this.destroy(new Error('a secret of the server'));
      },
    });
    return new StreamableFile(broken);
  }

  @Get('thrown/:what')
  text(): never {
    // oxlint-disable-next-line no-throw-literal
    throw 'only a text';
  }

  @Get('health')
  health(): never {
    const broken = { disk: { status: 'down' } };
    throw new ServiceUnavailableException({ status: 'error', error: broken, details: { ...broken, memory: {} } });
  }

  @Get('forbidden')
  forbidden(): never {
    throw new HttpException({ status: 403, error: 'This is a custom message' }, 403);
  }

  @Get('teapot')
  teapot(): never {
    throw new Teapot('short and stout');
  }

  @Post('log')
  log(): void {
    this.logger.warn('to whom it may concern');
  }
}

@Module({ controllers: [OddController], providers: [{ provide: APP_FILTER, useClass: TeapotFilter }] })
class OddModule {}

@Controller('api/ours/health')
class HealthController {
  @Get()
  check(): string {
    return 'fine';
  }
}

@Module({ controllers: [HealthController] })
class SameNameModule {}

/** What libraries for gateways and GraphQL make of a class: its methods run under the global guards and filters. */
@Injectable()
class Resolver {
  hello(): string {
    return 'hello';
  }

  @RequireAuth()
  secret(): string {
    return 'secret';
  }

  broken(): never {
    throw new Error('broken');
  }
}

@Module({ providers: [Resolver] })
class ResolverModule {}

@Module({})
class EndingModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const end = (_request: unknown, response: ServerResponse) => {
      response.statusCode = 202;
      response.end('ended');
    };
    consumer.apply(end).forRoutes('api/ended/*path');
  }
}

describe('what teams are used to from Nest', () => {
  it('EXT-4 OPS-84 what middleware bound to a path answers is logged with its whole address, once', async () => {
    await start({ imports: [EndingModule] });
    const token = await roost.createSuperuser();
    const answer = await roost.inject({ url: '/api/ended/here?a=1' });
    expect([answer.status, answer.text]).toEqual([202, 'ended']);
    const { body } = await roost.inject({ url: `/api/logs?filter=${encodeURIComponent('data.status = 202')}`, token });
    expect(body.items.map(({ data }: { data: { url: string } }) => data.url)).toEqual(['/api/ended/here?a=1']);
  });

  it('EXT-4 middleware bound to a path meets every spelling that leads to it', async () => {
    await start({ imports: [EndingModule] });
    const { hostname, port } = new URL(await roost.listen());
    const ask = (target: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname).on('error', reject);
        socket.write(`GET ${target} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
        socket.once('data', (chunk: Buffer) => resolve(chunk.toString().slice(9, 12)));
      });
    const targets = [
      '/api/ended/here',
      '/%61pi/ended/h%65re?x',
      'http://a.example/api/ended/here',
      '/api/ended/here#x',
    ];
    expect(await Promise.all(targets.map(ask))).toEqual(['202', '202', '202', '202']);
  });

  it('EXT-4 failures outside of a handler have the common error body and tell nothing', async () => {
    await start({
      imports: [OddModule],
      configureApp: (app) => {
        app.use((request: { url?: string }, _response: unknown, next: (error?: Error) => void) =>
          next(request.url?.includes('middleware') ? new Error('a secret of the server') : undefined),
        );
        const fastify = app.getHttpAdapter().getInstance();
        fastify.addHook('onRequest', async ({ url }) => {
          if (url.includes('hook')) throw new Error('a secret of the server');
          if (url.includes('refused')) throw new HttpException('Not today.', 402);
          if (url.includes('teapot')) throw new Teapot('early');
        });
        fastify.get('/plain', async () => {
          throw new Error('a secret of the server');
        });
      },
    });
    for (const url of ['/api/odd/stream', '/api/health?middleware', '/api/health?hook', '/plain']) {
      const answer = await roost.inject({ url });
      expect([url, answer.status, answer.body]).toEqual([url, 500, UNKNOWN]);
    }
    expect((await roost.inject({ url: '/api/health?refused' })).body).toEqual({
      code: 402,
      message: 'Not today.',
      data: {},
    });
    expect((await roost.inject({ url: '/api/health?teapot' })).body).toEqual({ teapot: 'early' });
  });

  it('EXT-4 a filter of the team answers its own errors, and the rest have the common body', async () => {
    await start({ imports: [OddModule] });
    expect(await roost.inject({ url: '/api/odd/teapot' })).toMatchObject({
      status: 418,
      body: { teapot: 'short and stout' },
    });
    expect(await roost.inject({ url: '/api/odd/thrown/text' })).toMatchObject({ status: 500, body: UNKNOWN });
  });

  it('EXT-32 what an HttpException says besides its message is the data of the answer', async () => {
    await start({ imports: [OddModule] });
    expect((await roost.inject({ url: '/api/odd/health' })).body).toEqual({
      code: 503,
      message: 'Service Unavailable Exception',
      data: {
        status: 'error',
        error: { disk: { status: 'down' } },
        details: { disk: { status: 'down' }, memory: {} },
      },
    });
    expect((await roost.inject({ url: '/api/odd/forbidden' })).body).toEqual({
      code: 403,
      message: 'This is a custom message',
      data: { status: 403 },
    });
  });

  it('EXT-4 a strict global ValidationPipe leaves the routes of Roost alone', async () => {
    const strict = { whitelist: true, forbidNonWhitelisted: true, transform: true, validateCustomDecorators: true };
    await start({ configureApp: (app) => void app.useGlobalPipes(new ValidationPipe(strict)) });
    const token = await roost.createSuperuser();
    await roost.createCollections(NOTES, { name: 'users', type: 'auth', fields: [] });
    const records = '/api/collections/notes/records';
    expect((await roost.inject({ url: records, body: { text: 'Hello' } })).body.text).toBe('Hello');
    expect((await roost.inject({ url: `${records}?filter=text='Hello'` })).body.totalItems).toBe(1);
    const batch = { requests: [{ method: 'POST', url: records, body: { text: 'Two' } }] };
    const settings = { batch: { enabled: true } };
    expect((await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: settings })).status).toBe(200);
    expect((await roost.inject({ url: '/api/batch', body: batch })).status).toBe(200);
    expect((await roost.inject({ url: '/api/health', token })).body.data).toBeTypeOf('object');
    expect((await roost.inject({ method: 'POST', url: '/api/files/token', token })).status).toBe(200);
    expect((await roost.inject({ url: '/api/collections/users/auth-methods' })).status).toBe(200);
    const refreshed = await roost.inject({
      method: 'POST',
      url: '/api/collections/_superusers/auth-refresh',
      token,
    });
    expect(refreshed.status).toBe(200);
  });

  it('EXT-10 gateways and resolvers run under the global guards, and what asks for a caller stays closed', async () => {
    await start({ imports: [ResolverModule] });
    const resolver = roost.app.get(Resolver, { strict: false });
    const contexts = roost.app.get(ExternalContextCreator, { strict: false });
    const call = (name: keyof Resolver): Promise<unknown> =>
      contexts.create(
        resolver as never,
        resolver[name] as (...args: unknown[]) => unknown,
        name,
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        'graphql',
      )(undefined, {}, {}, {});
    expect(await call('hello')).toBe('hello');
    await expect(call('secret')).rejects.toMatchObject({ status: 401 });
    await expect(call('broken')).rejects.toThrow(UNKNOWN.message);
  });

  it('EXT-4 a logger of the team hears what everybody logs, and the log still holds it', async () => {
    const heard: string[] = [];
    class TeamLogger extends ConsoleLogger {
      override warn(message: unknown): void {
        heard.push(String(message));
      }
    }
    await start({ imports: [OddModule], configureApp: (app) => app.useLogger(new TeamLogger()) });
    await roost.inject({ method: 'POST', url: '/api/odd/log' });
    expect(heard).toEqual(['to whom it may concern']);
    const token = await roost.createSuperuser();
    const url = `/api/logs?filter=${encodeURIComponent("message = 'to whom it may concern'")}`;
    expect((await roost.inject({ url, token })).body.totalItems).toBe(1);
  });

  it('EXT-4 EXT-25 a controller may be called like one of Roost, and directories be served with @fastify/static', async () => {
    await start({
      imports: [SameNameModule],
      configureApp: (app) =>
        void app.useStaticAssets({ root: dirname(fileURLToPath(import.meta.url)), prefix: '/ours/' }),
    });
    expect((await roost.inject({ url: '/ours/nest-habits.spec.ts' })).text).toContain('SameNameModule');
    mkdirSync(join(roost.dir, 'public'), { recursive: true });
    writeFileSync(join(roost.dir, 'public/page.txt'), 'public');
    expect((await roost.inject({ url: '/page.txt' })).text).toBe('public');
    const token = await roost.createSuperuser();
    const { body } = await roost.inject({ url: '/api/openapi.json', token });
    const paths = body.paths as Record<string, Record<string, { operationId: string }>>;
    const ids = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(paths['/api/ours/health']!['get']!.operationId).toBe('HealthController_check_2');
  });

  it('EXT-3 libraries that ask for the platform by its name find Fastify', async () => {
    await start({});
    expect(roost.app.getHttpAdapter().constructor.name).toBe('FastifyAdapter');
    expect(roost.app.getHttpAdapter().getType()).toBe('fastify');
  });
});

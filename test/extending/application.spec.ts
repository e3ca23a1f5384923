import { Controller, Get, HttpException, Injectable, Module, Query, ValidationPipe } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsInt, Max } from 'class-validator';
import {
  BeforeRecordCreate,
  EVENT_BUS,
  type EventBus,
  type EventType,
  FILE_STORAGE,
  FieldTypesModule,
  MAIL_TRANSPORT,
  type Mail,
  MailService,
  RATE_LIMIT_STORE,
  RecordChanged,
  type RecordCreateEvent,
  RecordsService,
  TokensService,
} from 'roost';
import type { TestRoost, TestRoostOptions } from 'roost/testing';
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';
import { SkuField } from './shop/src/sku-field.js';

const NOTES = { name: 'notes', type: 'base', createRule: '', fields: [{ name: 'text', type: 'text' }] };
const MEMBERS = { name: 'members', type: 'auth', fields: [] };

const running: TestRoost[] = [];

async function start(options: TestRoostOptions = {}): Promise<TestRoost> {
  const roost = await startRoost(options);
  running.push(roost);
  return roost;
}

afterEach(async () => {
  for (const roost of running.splice(0)) await roost.close();
});

const note = (roost: TestRoost, text: string) =>
  roost.inject({ url: '/api/collections/notes/records', body: { text } });

@Controller('api/health')
class RivalController {
  @Get()
  rival(): string {
    return 'mine';
  }
}

@Module({ controllers: [RivalController] })
class RivalModule {}

class PageDto {
  @Type(() => Number)
  @IsInt()
  @Max(10)
  page: number;
}

@Controller('api/pages')
class PagesController {
  @Get()
  page(@Query(new ValidationPipe({ transform: true })) { page }: PageDto): { page: number } {
    return { page };
  }
}

@Module({ controllers: [PagesController] })
class PagesModule {}

/** Says in what order it ran; refuses some texts in different ways. */
@Injectable()
class FirstHooks {
  @BeforeRecordCreate('notes', { order: 10 })
  last({ record }: RecordCreateEvent): void {
    record.set('text', `${String(record.get('text'))} last`);
  }

  @BeforeRecordCreate('notes')
  async first({ record }: RecordCreateEvent): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (record.get('text') === 'teapot') throw new HttpException('I am one.', 418);
    if (record.get('text') === 'broken') throw new Error('a secret of the server');
    record.set('text', `${String(record.get('text'))} first`);
  }
}

@Injectable()
class SecondHooks {
  @BeforeRecordCreate()
  second({ record }: RecordCreateEvent): void {
    record.set('text', `${String(record.get('text'))} second`);
  }
}

@Module({ providers: [FirstHooks] })
class FirstModule {}

@Module({ providers: [SecondHooks] })
class SecondModule {}

describe('an application with modules of a team', () => {
  it("EXT-4 Nest's own ValidationPipe refuses with the common error body", async () => {
    const roost = await start({ imports: [PagesModule] });
    const page = (value: string) => roost.inject({ url: `/api/pages?page=${value}` });
    expect((await page('7')).body).toEqual({ page: 7 });
    expect(await page('11')).toMatchObject({
      status: 400,
      body: { code: 400, message: 'page must not be greater than 10', data: {} },
    });
  });

  it('EXT-4 does not start with a route that collides with a built-in one, and names both', async () => {
    const failure: unknown = await start({ imports: [RivalModule] }).catch((error: unknown) => error);
    expect(String(failure)).toContain('RivalController#rival');
    expect(String(failure)).toContain('HealthController#check');
    expect(String(failure)).toContain('/api/health');
  });

  it('EXT-3 is configured by the names of the environment, and by a callback before it listens', async () => {
    const roost = await start({
      config: { ROOST_ORIGINS: 'https://one.example.com' },
      configureApp: (app) => {
        app
          .getHttpAdapter()
          .getInstance()
          .addHook('onSend', async (_request, reply) => {
            reply.header('x-team', 'ours');
          });
      },
    });
    const origin = 'https://one.example.com';
    const answer = await roost.inject({ url: '/api/health', headers: { origin } });
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, 'x-team': 'ours' });
    const foreign = await roost.inject({ url: '/api/health', headers: { origin: 'https://two.example.com' } });
    expect(foreign.headers['access-control-allow-origin']).not.toBe('https://two.example.com');
  });

  it('EXT-32 runs hooks by order, then by module imports, each awaited', async () => {
    const roost = await start({ imports: [FirstModule, SecondModule] });
    await roost.createCollections(NOTES);
    expect((await records(roost).create('notes', { text: 'a' })).get('text')).toBe('a first second last');
    const turned = await start({ imports: [SecondModule, FirstModule] });
    await turned.createCollections(NOTES);
    expect((await records(turned).create('notes', { text: 'a' })).get('text')).toBe('a second first last');
  });

  it('EXT-32 answers what a hook throws: an HttpException as it is, anything else without a word', async () => {
    const roost = await start({ imports: [FirstModule] });
    await roost.createCollections(NOTES);
    const teapot = await note(roost, 'teapot');
    expect(teapot).toMatchObject({ status: 418, body: { code: 418, message: 'I am one.', data: {} } });
    const broken = await note(roost, 'broken');
    expect(broken).toMatchObject({ status: 400, body: { code: 400, data: {} } });
    expect(broken.text).not.toContain('secret');
    expect(await records(roost).count('notes')).toBe(0);
  });

  it('EXT-40 hands mails to a transport of the team', async () => {
    const sent: Mail[] = [];
    const transport = { send: async (mail: Mail) => void sent.push(mail) };
    const replace = [{ provide: MAIL_TRANSPORT, useValue: transport }];
    const roost = await start({ replace, captureMails: false });
    await roost.app.get(MailService, { strict: false }).send({ to: 'ann@example.com', subject: 'Hi', text: 'Hello' });
    expect(sent).toMatchObject([{ to: [{ address: 'ann@example.com' }], subject: 'Hi', text: 'Hello' }]);
  });

  it('EXT-40 asks a rate limit store of the team', async () => {
    const store = { take: () => 30_000, clear: () => undefined, prune: () => undefined };
    const roost = await start({ replace: [{ provide: RATE_LIMIT_STORE, useValue: store }] });
    const rules = [{ label: '/api/health', maxRequests: 1000, duration: 60, audience: '' }];
    const body = { rateLimits: { enabled: true, rules } };
    const token = await roost.createSuperuser();
    await roost.inject({ method: 'PATCH', url: '/api/settings', token, body });
    expect((await roost.inject({ url: '/api/health' })).status).toBe(429);
  });

  it('EXT-40 publishes on an event bus of the team', async () => {
    const bus = new ListBus();
    const roost = await start({ replace: [{ provide: EVENT_BUS, useValue: bus }] });
    await roost.createCollections(NOTES);
    await records(roost).create('notes', { text: 'a' });
    expect(bus.published.filter((event) => event instanceof RecordChanged)).toHaveLength(2);
  });

  it('EXT-41 does not start with a field type whose name is taken', async () => {
    class TextAgain extends SkuField {
      override readonly type = 'text' as 'sku';
    }
    await expect(start({ imports: [FieldTypesModule.register(TextAgain)] })).rejects.toThrow('text');
  });

  it('EXT-50 two applications in one process share nothing', async () => {
    const one = await start({ imports: [FirstModule] });
    const two = await start();
    expect(one.dir).not.toBe(two.dir);
    await one.createCollections(NOTES);
    await two.createCollections(NOTES);
    await note(one, 'a');
    expect(await records(one).count('notes')).toBe(1);
    expect(await records(two).count('notes')).toBe(0);
    expect((await records(two).create('notes', { text: 'a' })).get('text')).toBe('a');
    one.clock.advance(86_400_000);
    expect(one.clock.now() - two.clock.now()).toBeGreaterThan(80_000_000);
    await one.close();
    running.splice(running.indexOf(one), 1);
    expect(existsSync(one.dir)).toBe(false);
    expect((await two.inject({ url: '/api/health' })).status).toBe(200);
    expect(one.app.get(FILE_STORAGE, { strict: false })).not.toBe(two.app.get(FILE_STORAGE, { strict: false }));
  });

  it('EXT-50 what an application tells its loggers is in its own log, also beside a later one', async () => {
    const one = await start({ imports: [FirstModule] });
    const two = await start({ imports: [FirstModule] });
    await one.createCollections(NOTES);
    expect((await note(one, 'broken')).status).toBe(400);
    const told = async (roost: TestRoost) => {
      const filter = encodeURIComponent("data.type = 'application' && level = 8");
      const { body } = await roost.inject({
        url: `/api/logs?filter=${filter}`,
        token: await roost.createSuperuser('log@example.com'),
      });
      return body.items.map(({ message }: { message: string }) => message);
    };
    expect(await told(one)).toEqual([expect.stringContaining('a secret of the server')]);
    expect(await told(two)).toEqual([]);
  });

  it('EXT-50 the clock of the test decides when tokens expire', async () => {
    const roost = await start();
    await roost.createCollections(MEMBERS);
    await records(roost).create('members', { email: 'ann@example.com', password: 'ann-password' });
    const token = await roost.signIn('members', 'ann@example.com');
    const refresh = () => roost.inject({ method: 'POST', url: '/api/collections/members/auth-refresh', token });
    expect((await refresh()).status).toBe(200);
    roost.clock.advance(400 * 86_400_000);
    expect((await refresh()).status).toBe(401);
    roost.clock.reset();
    expect((await refresh()).status).toBe(200);
  });

  it('EXT-23 modules issue and verify tokens', async () => {
    const roost = await start();
    await roost.createCollections(MEMBERS);
    const ann = await records(roost).create('members', { email: 'ann@example.com', password: 'ann-password' });
    const tokens = roost.app.get(TokensService, { strict: false });
    const token = await tokens.issue(ann, 'file');
    expect(await tokens.verify(token, 'file', ann)).toMatchObject({ id: ann.id, type: 'file' });
    expect(await tokens.verify(token, 'auth', ann)).toBeUndefined();
  });
});

function records(roost: TestRoost): RecordsService {
  return roost.app.get(RecordsService, { strict: false });
}

/** Keeps what is published and tells nobody. */
class ListBus implements EventBus {
  readonly published: object[] = [];

  publish(event: object): void {
    this.published.push(event);
  }

  subscribe<Event extends object>(_type: EventType<Event>): void {}
}

import { Controller, Get, Injectable, Logger, Module, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { CurrentBody } from '../../../src/http/body/current-body.decorator.js';
import { ReadsBody } from '../../../src/http/body/reads-body.decorators.js';
import { BeforeRealtimeMessage, type RealtimeMessageEvent } from '../../../src/realtime/realtime.hooks.js';
import { LogsService } from '../../../src/logs/logs.service.js';
import type { RecordModel } from '../../../src/kernel/records/record-model.js';
import { RecordsModule } from '../../../src/records/records.module.js';
import { RecordsService } from '../../../src/records/records.service.js';
import type { TestRoost } from '../../../src/testing/index.js';
import { startRoost } from '../roost.js';
import { SseReader } from '../sse-reader.js';

const PASSWORD = 'correct "horse"';
const URLENCODED = 'application/x-www-form-urlencoded';

/** What a careless module might say. */
@Controller('careless')
class CarelessController {
  private readonly logger = new Logger('Careless');

  constructor(private readonly records: RecordsService) {}

  @Get('key')
  async key() {
    return { value: (await this.ann()).get('tokenKey') };
  }

  @Get('hash')
  hash() {
    // The record itself would not show it.
    return { value: `$2b$10$${'a'.repeat(53)}` };
  }

  @Get('log')
  async log() {
    this.logger.warn(`Somebody came: ${(await this.ann()).get('tokenKey') as string}`);
    return {};
  }

  @Get('compressed')
  async compressed() {
    return { padding: 'x'.repeat(10_000), ...(await this.key()) };
  }

  @Get('head')
  async head(@Res() reply: FastifyReply) {
    return reply.header('x-key', (await this.key()).value).send({});
  }

  @Get('pieces')
  async pieces(@Res() reply: FastifyReply) {
    const key = (await this.key()).value as string;
    reply.hijack().raw.write(key.slice(0, 30));
    setTimeout(() => reply.raw.end(key.slice(30)), 20);
  }

  @Get('replaced')
  async replaced() {
    const key = await this.key();
    await this.records.update('users', (await this.ann()).id, { 'tokenKey:autogenerate': '' });
    return key;
  }

  @Get('deleted')
  async deleted() {
    const key = await this.key();
    await this.records.delete('users', (await this.ann()).id);
    return key;
  }

  @Post('echo')
  @ReadsBody()
  echo(@CurrentBody('values') { a, ...values }: Readonly<Record<string, unknown>>) {
    const said = Array.isArray(a) ? (a[0] as object) : values;
    return { said: Object.values(said) as unknown[] };
  }

  private async ann(): Promise<RecordModel> {
    return (await this.records.findFirst('users', "email = 'ann@x.io'"))!;
  }
}

@Injectable()
class CarelessHooks {
  constructor(private readonly records: RecordsService) {}

  @BeforeRealtimeMessage('users')
  async change(event: RealtimeMessageEvent): Promise<void> {
    const { record } = event.data as { record: { id: string } };
    event.data = { key: (await this.records.findOne('users', record.id)).get('tokenKey') };
  }
}

@Module({ imports: [RecordsModule], controllers: [CarelessController], providers: [CarelessHooks] })
class CarelessModule {}

let roost: TestRoost;
let ann: RecordModel;
beforeEach(async () => {
  roost = await startRoost({ imports: [CarelessModule] });
  const account = { email: 'ann@x.io', password: PASSWORD, passwordConfirm: PASSWORD };
  ann = await roost.app.get(RecordsService, { strict: false }).create('users', account);
});

async function port(): Promise<number> {
  return Number(new URL(await roost.listen()).port);
}

/** Closes the application; the watch must have found a secret there. */
async function expectFound(from: string): Promise<void> {
  await expect(roost.close()).rejects.toThrow(`A secret was told by ${from}:`);
}

describe('the watch over the secrets of a test application', () => {
  const PATHS = ['key', 'hash', 'head', 'compressed', 'replaced', 'deleted'];

  it.each(PATHS)('AUTH-504 notices one in an answer without a network: %s', async (path) => {
    const headers = { 'accept-encoding': 'br' };
    const answer = await roost.inject({ url: `/careless/${path}`, headers });
    expect(answer.headers['content-encoding']).toBe(path === 'compressed' ? 'br' : undefined);
    await expectFound(`GET /careless/${path}`);
  });

  it.each([...PATHS, 'pieces'])('AUTH-504 notices one in an answer over a socket: %s', async (path) => {
    const answer = await fetch(`${await roost.listen()}/careless/${path}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('content-encoding')).toBe(path === 'compressed' ? 'gzip' : null);
    expect(await answer.text()).not.toBe('');
    await expectFound(`GET /careless/${path}`);
  });

  it('AUTH-504 notices one in an answer nobody waited for', async () => {
    const reader = await SseReader.open({ port: await port(), path: '/careless/pieces' });
    await reader.ended();
    reader.close();
    await expectFound('GET /careless/pieces');
  });

  it('AUTH-504 notices one in a message of a stream', async () => {
    const reader = await SseReader.connect({ port: await port() });
    const body = { clientId: reader.clientId, subscriptions: [`users/${ann.id}`] };
    const token = await roost.signIn('users', 'ann@x.io');
    expect((await roost.inject({ url: '/api/realtime', body, token })).status).toBe(204);
    await roost.app.get(RecordsService, { strict: false }).update('users', ann.id, { name: 'Ann' });
    await reader.receive(1);
    await expectFound('GET /api/realtime');
  });

  it('AUTH-504 notices one in the log, also in entries that were deleted', async () => {
    expect((await roost.inject({ url: '/careless/log' })).status).toBe(200);
    const logs = roost.app.get(LogsService, { strict: false });
    // Looking at it has everything written that waits.
    expect(await logs.countByHour('message ~ "Somebody"')).toHaveLength(1);
    await logs.deleteAll();
    await expectFound('the log');
  });

  it('has nothing to say about an application that tells none', async () => {
    await fetch(`${await roost.listen()}/api/health`);
    await roost.inject({ url: '/api/collections/users/records' });
    await roost.close();
  });
});

describe('the watch over the passwords that are sent', () => {
  const form = new FormData();
  form.append('passwordConfirm', PASSWORD);
  const BODIES: readonly (readonly [string, unknown, Record<string, string>])[] = [
    ['JSON', { a: [{ password: PASSWORD }] }, {}],
    ['a form', form, {}],
    ['a URL', new URLSearchParams({ oldPassword: PASSWORD }).toString(), { 'content-type': URLENCODED }],
  ];

  it.each(BODIES)('AUTH-504 notices one that is told again, sent without a network as %s', async (_, body, headers) => {
    const answer = await roost.inject({ url: '/careless/echo', body, headers });
    expect(answer.body).toEqual({ said: [PASSWORD] });
    await expectFound('POST /careless/echo');
  });

  it.each(BODIES)('AUTH-504 notices one that is told again, sent over a socket as %s', async (_, body, headers) => {
    const isJson = !(body instanceof FormData) && typeof body !== 'string';
    const answer = await fetch(`${await roost.listen()}/careless/echo`, {
      method: 'POST',
      headers: isJson ? { 'content-type': 'application/json' } : headers,
      body: isJson ? JSON.stringify(body) : body,
    });
    expect(await answer.json()).toEqual({ said: [PASSWORD] });
    await expectFound('POST /careless/echo');
  });

  it('AUTH-504 notices one that another answer tells later', async () => {
    const sent = { identity: 'ann@x.io', password: PASSWORD };
    await roost.inject({ url: '/api/collections/users/auth-with-password', body: sent });
    await roost.inject({ url: '/careless/echo', body: { note: `It was ${PASSWORD}, was it not?` } });
    await expectFound('POST /careless/echo');
  });
});

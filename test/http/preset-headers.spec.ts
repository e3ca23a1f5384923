import { Controller, Get, Header, HttpCode, Module, Redirect, Res, Sse, StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { of } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForbiddenError } from '../../src/kernel/errors/forbidden.error.js';
import type { Connections } from '../../src/http/adapter/connections.js';
import { PresetHeaders } from '../../src/http/adapter/preset-headers.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

describe('the lines of headers that many answers share', () => {
  const preset = new PresetHeaders({ vary: 'Origin', 'x-frame-options': 'SAMEORIGIN' });
  const VARY = 'vary: Origin\r\n';
  const FRAME = 'x-frame-options: SAMEORIGIN\r\n';
  const ID = 'x-request-id: id1\r\n';

  it.each([
    [undefined, VARY + FRAME + ID],
    [{}, VARY + FRAME + ID],
    [{ 'x-other': '1' }, VARY + FRAME + ID],
    [{ 'X-FRAME-Options': 'DENY' }, VARY + ID],
    [{ vary: '*', 'X-Request-Id': '7' }, FRAME],
    [[], VARY + FRAME + ID],
    [['X-Frame-Options', 'DENY', 'x-other', 'vary'], VARY + ID],
    [['set-cookie', ['a=1', 'b=2'], 'Vary', '*'], FRAME + ID],
    [['set-cookie', ['vary', 'b=2', 'c=3'], 'Vary', '*'], FRAME + ID],
    [
      [
        ['Vary', '*'],
        ['set-cookie', ['a=1', 'x-frame-options']],
      ],
      FRAME + ID,
    ],
  ])('leave out what the answer has itself: %j', (own, lines) => {
    expect(preset.besides(own as object | undefined, 'id1')).toBe(lines);
  });

  it('leave out what was removed', () => {
    expect(preset.besides({ 'X-Request-ID': '7' }, 'id1', ['vary'])).toBe(FRAME);
    expect(preset.besides(undefined, 'id1', ['vary', 'x-request-id'])).toBe(FRAME);
    expect(preset.besides(['Vary', '*'], 'id1', ['x-frame-options'])).toBe(ID);
  });

  it('are those of both, and of the second where both have one, made once', () => {
    const others = new PresetHeaders({ vary: '*', 'x-other': '1' });
    const both = preset.and(others);
    expect(both.values('id2')).toEqual({
      vary: '*',
      'x-frame-options': 'SAMEORIGIN',
      'x-other': '1',
      'x-request-id': 'id2',
    });
    expect(preset.and(others)).toBe(both);
    expect(preset.value('x-other', 'id2')).toBeUndefined();
  });

  it('leave out the same names again and again, for different ids', () => {
    for (const id of ['id1', 'id2']) {
      const idLine = `x-request-id: ${id}\r\n`;
      expect(preset.besides({ Vary: '*', 'x-other': '1' }, id)).toBe(FRAME + idLine);
      expect(preset.besides({ 'x-frame-options': 'DENY' }, id)).toBe(VARY + idLine);
      expect(preset.besides({ 'x-frame-options': 'DENY', vary: '*' }, id)).toBe(idLine);
      expect(preset.besides({ vary: '*', 'x-frame-options': 'DENY' }, id)).toBe(idLine);
      expect(preset.besides({}, id)).toBe(VARY + FRAME + idLine);
    }
  });

  it('know no other names, such as those of all objects', () => {
    expect([preset.value('vary', 'id'), preset.value('x-request-id', 'id')]).toEqual(['Origin', 'id']);
    expect([preset.value('constructor', 'id'), preset.value('toString', 'id')]).toEqual([undefined, undefined]);
  });
});

@Controller('api/preset')
class PresetController {
  @Get('plain')
  plain(): object {
    return { ok: true };
  }

  @Get('decorated')
  @Header('X-FRAME-Options', 'DENY')
  decorated(): object {
    return {};
  }

  @Get('read')
  read(@Res({ passthrough: true }) reply: FastifyReply): object {
    const { raw } = reply;
    return {
      reply: [reply.getHeader('X-Frame-Options'), reply.hasHeader('Vary'), reply.getHeader('constructor') ?? null],
      raw: [raw.getHeader('X-Frame-Options'), raw.hasHeader('Vary'), raw.getHeaderNames().includes('x-request-id')],
      all: [reply.getHeaders()['vary'], raw.getHeaders()['vary']],
      id: reply.getHeader('x-request-id'),
    };
  }

  @Get('removed')
  removed(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.removeHeader('X-Frame-Options').raw.removeHeader('Vary');
    return { left: [reply.getHeader('x-frame-options'), reply.hasHeader('vary'), 'vary' in reply.getHeaders()] };
  }

  @Get('restored')
  restored(@Res({ passthrough: true }) reply: FastifyReply): object {
    reply.removeHeader('X-Frame-Options').header('X-Frame-Options', 'DENY');
    return {};
  }

  @Get('set')
  set(@Res({ passthrough: true }) { raw }: FastifyReply): object {
    raw.setHeader('X-Frame-OPTIONS', 'DENY').appendHeader('Vary', 'Cookie').appendHeader('Vary', 'Accept');
    return {};
  }

  @Get('hijacked/object')
  object(@Res() reply: FastifyReply): void {
    reply.hijack().raw.writeHead(200, { 'X-Frame-Options': 'DENY' }).end('done');
  }

  @Get('hijacked/list')
  list(@Res() reply: FastifyReply): void {
    const headers = ['Set-Cookie', ['a=1', 'b=2'], 'X-Frame-Options', 'DENY'];
    reply
      .hijack()
      .raw.writeHead(200, headers as never)
      .end('done');
  }

  @Get('hijacked/nothing')
  nothing(@Res() reply: FastifyReply): void {
    reply.hijack().raw.end('done');
  }

  @Get('204')
  @HttpCode(204)
  noContent(): void {}

  @Get('304')
  @HttpCode(304)
  notModified(): void {}

  @Get('redirect')
  @Redirect('/elsewhere')
  redirect(): void {}

  @Get('stream')
  stream(): StreamableFile {
    return new StreamableFile(Readable.from([Buffer.from('a'), Buffer.from('b')]));
  }

  @Get('web-stream')
  webStream(@Res() reply: FastifyReply): void {
    void reply.send(new Response('web').body);
  }

  @Sse('events')
  events(): unknown {
    return of({ data: 1 });
  }
}

@Module({ controllers: [PresetController] })
class PresetModule {}

describe('headers that all answers have', () => {
  let roost: TestRoost;
  let origin: string;

  beforeAll(async () => {
    roost = await startRoost({
      imports: [PresetModule],
      configureApp: (app) => {
        const fastify = app.getHttpAdapter().getInstance();
        fastify.addHook('onRequest', async ({ url }, reply) => {
          if (/refused|hook/.test(url)) reply.header('x-frame-options', 'DENY');
          if (url.includes('fails')) reply.raw.setHeader('X-Frame-Options', 'DENY');
          if (/refused|fails/.test(url)) throw new ForbiddenError();
        });
      },
    });
    origin = await roost.listen();
  });

  afterAll(() => roost.close());

  /** The lines of the head of an answer, as they came, with names in lower case. */
  const overNetwork = (path: string, method = 'GET') =>
    new Promise<string[]>((resolve, reject) => {
      const { hostname, port } = new URL(origin);
      let text = '';
      connect(Number(port), hostname)
        .on('data', function (this: Socket, chunk: Buffer) {
          text += chunk.toString();
          if (text.includes('\r\n\r\n')) this.end();
        })
        .on('close', () => resolve(lines(text.split('\r\n\r\n')[0]!)))
        .on('error', reject)
        .write(`${method} ${path} HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\nConnection: close\r\n\r\n`);
    });

  const lines = (head: string) =>
    head
      .split('\r\n')
      .slice(1)
      .map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()));

  const injected = async (url: string) => {
    const { headers } = await roost.inject({ url, headers: { origin: 'https://a.example' } });
    return Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`));
  };

  const ways = { 'over the network': overNetwork, injected };

  const shared = (all: readonly string[]) =>
    all
      .filter((line) => /^(?:x-(?!accel)|vary|access-control)/.test(line))
      .map((line) => line.replace(/^(x-request-id: )\w{16}$/, '$1some'))
      .sort();

  const USUAL = [
    'access-control-allow-origin: *',
    'access-control-expose-headers: Retry-After',
    'vary: Origin',
    'x-content-type-options: nosniff',
    'x-frame-options: SAMEORIGIN',
    'x-request-id: some',
    'x-xss-protection: 1; mode=block',
  ];

  const DENIED = USUAL.map((line) => line.replace('SAMEORIGIN', 'DENY'));

  const expected: Record<string, readonly string[]> = {
    plain: USUAL,
    decorated: DENIED,
    removed: USUAL.filter((line) => !/^(?:vary|x-frame)/.test(line)),
    restored: DENIED,
    'hijacked/object': DENIED,
    'hijacked/list': DENIED,
    'hijacked/nothing': USUAL,
    '204': USUAL,
    '304': USUAL,
    redirect: USUAL,
    stream: USUAL,
    'web-stream': USUAL,
    events: USUAL,
    nowhere: USUAL,
    '%zz': USUAL,
    'plain?refused': DENIED,
    'plain?fails': DENIED,
    'nowhere?hook': DENIED,
  };

  describe.each(Object.entries(ways))('%s', (_way, headOf) => {
    it.each(Object.entries(expected))('OPS-33 OPS-32 are sent once, as the route %s wants them', async (path, all) => {
      expect(shared(await headOf(`/api/preset/${path}`))).toEqual(all);
    });

    it('OPS-33 can be set and added to on the response of Node', async () => {
      const all = shared(await headOf('/api/preset/set'));
      expect(all.filter((line) => !line.startsWith('vary'))).toEqual(DENIED.filter((line) => !line.startsWith('vary')));
      const vary = all.filter((line) => line.startsWith('vary: ')).map((line) => line.slice(6));
      expect(vary.join(', ')).toBe('Accept, Cookie, Origin');
    });
  });

  it('OPS-33 OPS-32 are sent once with answers to HEAD and OPTIONS', async () => {
    expect(shared(await overNetwork('/api/preset/plain', 'HEAD'))).toEqual(USUAL);
    const preflight = ['access-control-allow-methods: GET,HEAD,PUT,PATCH,POST,DELETE', 'access-control-max-age: 600'];
    expect(shared(await overNetwork('/api/preset/plain', 'OPTIONS'))).toEqual([...USUAL, ...preflight].sort());
  });

  it('EXT-4 can be read by a route, in whichever way its request came', async () => {
    const network = await (await fetch(`${origin}/api/preset/read`)).json();
    const inject = (await roost.inject({ url: '/api/preset/read' })).body;
    for (const body of [network, inject]) {
      expect(body).toEqual({
        reply: ['SAMEORIGIN', true, null],
        raw: ['SAMEORIGIN', true, true],
        all: ['Origin', 'Origin'],
        id: expect.stringMatching(/^\w{16}$/),
      });
    }
    expect((await roost.inject({ url: '/api/preset/removed' })).body).toEqual({ left: [null, false, false] });
    const removed = await (await fetch(`${origin}/api/preset/removed`)).json();
    expect(removed).toEqual({ left: [null, false, false] });
  });

  it('belong to one answer, also when several share a connection', async () => {
    const { hostname, port } = new URL(origin);
    const paths = ['removed', 'plain', 'decorated', 'hijacked/list', 'set', 'plain'];
    const text = await new Promise<string>((resolve) => {
      let all = '';
      connect(Number(port), hostname)
        .on('data', (chunk: Buffer) => (all += chunk.toString()))
        .on('close', () => resolve(all))
        .write(
          paths
            .map((path, index) => {
              const end = index === paths.length - 1 ? 'Connection: close\r\n' : '';
              return `GET /api/preset/${path} HTTP/1.1\r\nHost: a\r\n${end}\r\n`;
            })
            .join(''),
        );
    });
    const heads = text.split('HTTP/1.1 200 OK').slice(1);
    expect(heads.map((head) => head.match(/x-frame-options: \w+/gi)?.map((line) => line.slice(17)))).toEqual([
      undefined,
      ['SAMEORIGIN'],
      ['DENY'],
      ['DENY'],
      ['DENY'],
      ['SAMEORIGIN'],
    ]);
    expect(new Set(text.match(/x-request-id: \w{16}/g)).size).toBe(paths.length);
  });
});

it('OPS-195 OPS-33 a request that reaches a stopping server is refused like any other', async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const roost = await startRoost({
    configureApp: (app) => {
      const fastify = app.getHttpAdapter().getInstance();
      fastify.get('/slow', () => finished.then(() => 'done'));
    },
  });
  const { hostname, port } = new URL(await roost.listen());
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const { connections } = roost.app.getHttpAdapter().getInstance() as unknown as { connections: Connections };
  socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => connections.requests).toBe(1);
  const closed = once(socket, 'close');
  const closing = roost.close();
  await expect.poll(() => connections.isStopping).toBe(true);
  socket.write('GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => connections.requests).toBe(2);
  finish();
  await Promise.all([closing, closed]);
  const [, done, late] = text.split('HTTP/1.1 ');
  expect(done).toMatch(/^200 OK[^]*done$/);
  expect(late).toMatch(/^503 Service Unavailable\r\n[^]*x-frame-options: SAMEORIGIN\r\n/);
  expect(late).toContain('{"code":503,"message":"The server is being stopped. Try again in a moment.","data":{}}');
});

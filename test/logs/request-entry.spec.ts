import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { RoostRequest } from '../../src/http/request/roost-request.js';
import { ApiError } from '../../src/kernel/errors/api-error.js';
import { ForbiddenError } from '../../src/kernel/errors/forbidden.error.js';
import { GUEST } from '../../src/kernel/records/caller.js';
import { RequestEntry } from '../../src/logs/request-entry.js';

const SETTINGS = { logIP: true, logAuthId: true };

const account = (id: string, name = 'users') => ({ ...GUEST, ip: '192.0.2.7', auth: { id, collection: { name } } });

function request(more: object = {}): RoostRequest {
  return {
    method: 'GET',
    headers: { referer: 'https://example.com/', 'user-agent': 'agent' },
    caller: account('account_number1'),
    socket: { remoteAddress: '192.0.2.1' },
    failure: null,
    logMeta: null,
    ...more,
  } as never;
}

/** What is stored of a request. */
function stored(asked: RoostRequest, { status = 200, settings = SETTINGS, url = '/' } = {}): unknown {
  return RequestEntry.of(asked, { level: 0, url, status, execTime: 1.23456 }, settings).data;
}

const DATA = {
  type: 'request',
  url: '/',
  method: 'GET',
  status: 200,
  execTime: 1.235,
  referer: 'https://example.com/',
  userAgent: 'agent',
  auth: 'users',
  authId: 'account_number1',
  userIP: '192.0.2.7',
  remoteIP: '192.0.2.1',
};

describe('details of requests', () => {
  it('OPS-84 say what was asked for and how it ended', () => {
    expect(stored(request())).toEqual(DATA);
    expect(stored(request(), { url: '/b', status: 404 })).toEqual({ ...DATA, url: '/b', status: 404 });
  });

  it.each<[string, object, object]>([
    ['method', { method: 'POST' }, { method: 'POST' }],
    ['referer', { headers: { 'user-agent': 'agent' } }, { referer: '' }],
    ['user agent', { headers: { referer: 'https://example.com/', 'user-agent': 'b' } }, { userAgent: 'b' }],
    ['account', { caller: account('account_number2') }, { authId: 'account_number2' }],
    ['collection', { caller: account('account_number1', 'clients') }, { auth: 'clients' }],
    ['client', { caller: { ...account('account_number1'), ip: '192.0.2.8' } }, { userIP: '192.0.2.8' }],
    ['proxy', { socket: { remoteAddress: '::ffff:192.0.2.9' } }, { remoteIP: '192.0.2.9' }],
    ['lost proxy', { socket: null }, { remoteIP: '' }],
    ['meta', { logMeta: { seen: 1n } }, { meta: { seen: 1n } }],
  ])('OPS-84 of another %s are its own', (_name, more, differing) => {
    expect(stored(request(more))).toEqual({ ...DATA, ...differing });
  });

  it('OPS-84 a failure belongs to the request that failed', () => {
    const failed = request({ failure: new ForbiddenError('Not here, Bearer abc.') });
    expect(stored(failed, { status: 403 })).toEqual({
      ...DATA,
      status: 403,
      error: 'Not here, Bearer ***',
      details: {},
    });
    // What was thrown before an answer that is none is nobody's failure.
    expect(stored(failed, { status: 200 })).toEqual(DATA);
  });

  it('OPS-39 an entry that waits to be written keeps no more of long texts than is shown of them', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const used = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    /** A text without parts that other texts have too. */
    const long = (letter: string) => Buffer.alloc(200_000, letter).toString();
    const before = used();
    const entries = Array.from({ length: 100 }, () => {
      const data = { tags: { code: 'c', params: { value: long('v'), all: [long('w')] } } };
      const failure = new ApiError(400, long('m'), data);
      const asked = request({ headers: { referer: long('r'), 'user-agent': long('u') }, failure });
      return RequestEntry.of(asked, { level: 0, url: `/?a=${long('q')}`, status: 400, execTime: 1 }, SETTINGS);
    });
    // Of 120 MB.
    expect(used() - before).toBeLessThan(5_000_000);
    expect(entries).toHaveLength(100);
  });

  it('OPS-84 long texts are cut where they are shown, decoded and without secrets', () => {
    const [value, secret] = ['%C3%A9'.repeat(2_000), 's'.repeat(9_000)];
    const url = `/?token=${secret}&a=${value}&b=%3D`;
    const asked = request({ headers: { referer: `https://a.example${url}`, 'user-agent': secret } });
    const entry = RequestEntry.of(asked, { level: 0, url, status: 200, execTime: 1 }, SETTINGS);
    expect(entry.message).toBe(`GET /?token=***&a=${'é'.repeat(2_000)}&b==`);
    const shown = `/?token=***&a=${value}`;
    expect(entry.data).toMatchObject({
      url: `${shown.slice(0, 2_997)}...`,
      referer: `${`https://a.example${shown}`.slice(0, 1_997)}...`,
      userAgent: `${'s'.repeat(1_997)}...`,
    });
    const longest = RequestEntry.of(request(), { level: 0, url: `/${secret}`, status: 200, execTime: 1 }, SETTINGS);
    expect(longest.message).toBe(`GET /${'s'.repeat(2_992)}...`);
  });

  it('OPS-39 an error that repeats what was sent does not fill the logs with it', () => {
    const long = 'v'.repeat(2_000_000);
    const of = (data: Record<string, unknown>) => {
      const asked = request({ failure: new ApiError(400, long, data) });
      return RequestEntry.of(asked, { level: 8, url: '/', status: 400, execTime: 1 }, SETTINGS).data;
    };
    const cut = `${'v'.repeat(1_997)}...`;
    const day = new Date(0);
    expect(
      of({ tags: { code: 'c', params: { value: long, at: day, count: 2 } }, list: [long, 1, null] }),
    ).toMatchObject({
      error: cut,
      details: { tags: { code: 'c', params: { value: cut, at: day, count: 2 } }, list: [cut, 1, null] },
    });
    expect(of({ ['__proto__']: { code: 'c' } })['details']).toEqual(JSON.parse('{"__proto__":{"code":"c"}}'));

    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, { code: 'c' }]));
    const circular: Record<string, unknown> = { code: 'c' };
    circular['again'] = circular;
    for (const data of [
      many,
      { items: Array.from({ length: 100_000 }, () => 1) },
      { [long]: { code: 'c' } },
      circular,
    ]) {
      const { details } = of(data);
      expect(JSON.stringify(details).length).toBeLessThan(100_000);
      expect(JSON.stringify(details)).toContain('...');
    }
  });

  it('OPS-39 an entry that waits to be written keeps nothing of what was worked on', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const kept: { entry?: RequestEntry; body?: WeakRef<object> } = {};
    // The body can be reached from a frame of the stack.
    const fail = (body: object): ForbiddenError => [body].map((each) => new ForbiddenError(typeof each))[0]!;
    const work = () => {
      const body = { title: 'x' };
      kept.body = new WeakRef(body);
      kept.entry = RequestEntry.of(
        request({ failure: fail(body) }),
        { level: 0, url: '/', status: 403, execTime: 1 },
        SETTINGS,
      );
    };
    work();
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      collectGarbage();
      expect(kept.body!.deref()).toBeUndefined();
      expect(kept.entry!.data).toMatchObject({ status: 403, details: {} });
    });
  });

  it('OPS-84 settings that change count from the next request on', () => {
    const { authId: _id, ...withoutId } = DATA;
    const { userIP: _user, remoteIP: _remote, ...withoutAddresses } = DATA;
    expect(stored(request(), { settings: { logIP: true, logAuthId: false } })).toEqual(withoutId);
    expect(stored(request(), { settings: { logIP: false, logAuthId: true } })).toEqual(withoutAddresses);
  });

  it('OPS-84 what never became a request has the address it came from, where that is wanted', () => {
    const broken = { method: 'GET', url: '/', failure: new Error('broken'), status: 400, remoteAddress: '192.0.2.1' };
    const of = (logIP: boolean) => RequestEntry.ofBroken(broken, 8, { logIP, logAuthId: true }).data;
    const data = { type: 'request', url: '/', method: 'GET', status: 400, execTime: 0, referer: '', userAgent: '' };
    const entry = { ...data, auth: '', error: 'broken', details: {} };
    expect(of(false)).toEqual(entry);
    expect(of(true)).toEqual({ ...entry, userIP: '192.0.2.1', remoteIP: '192.0.2.1' });
  });

  it('OPS-85 secrets of addresses are in neither text', () => {
    const outcome = { level: 0, url: '/a%20b?token=abc&c=%22', status: 200, execTime: 1 };
    const { message, data } = RequestEntry.of(request(), outcome, SETTINGS);
    expect(message).toBe('GET /a b?token=***&c="');
    expect(data['url']).toBe('/a%20b?token=***&c=%22');
  });
});

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { RoostRequest } from '../../src/http/roost-request.js';
import { ForbiddenError } from '../../src/kernel/errors/forbidden.error.js';
import { GUEST } from '../../src/kernel/records/caller.js';
import { EntryPage } from '../../src/logs/entry-page.js';
import { RequestDetails } from '../../src/logs/request-details.js';

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

/** What is stored, of a request that came after another. */
function stored(
  asked: RoostRequest,
  { status = 200, settings = SETTINGS, url = '/', after = request() } = {},
): unknown {
  const last = RequestDetails.of(after, 200, SETTINGS);
  return JSON.parse(RequestDetails.of(asked, status, settings, last).data(url, status, 1.23456));
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
  it('OPS-84 of requests that have them in common are kept once', () => {
    const first = RequestDetails.of(request(), 200, SETTINGS);
    expect(RequestDetails.of(request(), 204, SETTINGS, first)).toBe(first);
    expect(JSON.parse(first.data('/', 200, 1.23456))).toEqual(DATA);
    expect(JSON.parse(first.data('/b', 404, 2))).toEqual({ ...DATA, url: '/b', status: 404, execTime: 2 });
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
    ['meta', { logMeta: { seen: 1n } }, { meta: { seen: '1' } }],
  ])('OPS-84 of another %s are its own', (_name, more, differing) => {
    expect(stored(request(more))).toEqual({ ...DATA, ...differing });
  });

  it('OPS-84 a failure belongs to the request that failed', () => {
    const failed = request({ failure: new ForbiddenError('Not here, Bearer abc.') });
    const details = RequestDetails.of(failed, 403, SETTINGS);
    expect(details.areCommon).toBe(false);
    expect(RequestDetails.of(request(), 200, SETTINGS).areCommon).toBe(true);
    expect(stored(failed, { status: 403 })).toEqual({
      ...DATA,
      status: 403,
      error: 'Not here, Bearer ***',
      details: {},
    });
    // What was thrown before an answer that is none is nobody's failure.
    expect(stored(failed, { status: 200 })).toEqual(DATA);
  });

  it('OPS-84 settings that change count from the next request on', () => {
    const { authId: _id, ...withoutId } = DATA;
    const { userIP: _user, remoteIP: _remote, ...withoutAddresses } = DATA;
    expect(stored(request(), { settings: { logIP: true, logAuthId: false } })).toEqual(withoutId);
    expect(stored(request(), { settings: { logIP: false, logAuthId: true } })).toEqual(withoutAddresses);
  });

  it('OPS-84 what never became a request has the address it came from, where that is wanted', () => {
    const broken = { method: 'GET', url: '/', failure: new Error('broken'), status: 400, remoteAddress: '192.0.2.1' };
    const of = (logIP: boolean) =>
      JSON.parse(RequestDetails.ofBroken(broken, { logIP, logAuthId: true }).data('/', 400, 0));
    const data = { type: 'request', url: '/', method: 'GET', status: 400, execTime: 0, referer: '', userAgent: '' };
    const entry = { ...data, auth: '', error: 'broken', details: {} };
    expect(of(false)).toEqual(entry);
    expect(of(true)).toEqual({ ...entry, userIP: '192.0.2.1', remoteIP: '192.0.2.1' });
  });

  it('OPS-85 secrets of addresses are in neither text', () => {
    const details = RequestDetails.of(request(), 200, SETTINGS);
    expect(details.message('/a%20b?token=abc&c=%22')).toBe('GET /a b?token=***&c="');
    expect(JSON.parse(details.data('/a%20b?token=abc&c="', 200, 1)).url).toBe('/a%20b?token=***&c="');
  });
});

describe('a page of entries', () => {
  it('OPS-84 gives back what it took, in order, and nothing of what it had before', () => {
    const page = new EntryPage();
    const details = RequestDetails.of(request(), 200, SETTINGS);
    page.addRequest(5, 8, '/old', 500, 7, details);
    page.clear();
    expect(page.length).toBe(0);
    expect(inspect(page, { depth: 9, maxArrayLength: null })).not.toMatch(/old|agent/);
    page.add(1, { level: -4, message: 'told', data: { circular: page, big: 1n } });
    page.addRequest(2, 0, '/api/health', 200, 1.23456, details);
    expect(page.length).toBe(2);
    const told = page.at(0);
    const asked = page.at(1);
    expect(told).toMatchObject({ at: 1, level: -4, message: 'told' });
    expect(JSON.parse(told.data)).toHaveProperty('unprintable');
    expect(asked).toMatchObject({ at: 2, level: 0, message: 'GET /api/health' });
    expect(JSON.parse(asked.data)).toEqual({ ...DATA, url: '/api/health' });
  });
});

import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { RoostRequest } from '../../src/http/roost-request.js';
import { GUEST } from '../../src/kernel/records/caller.js';
import { LOG_LEVELS } from '../../src/logs/log-entry.js';
import { RequestEntries } from '../../src/logs/request-entries.js';

const SETTINGS = { maxDays: 5, minLevel: 0, logIP: true, logAuthId: true };

function request(more: object): RoostRequest {
  const socket = { remoteAddress: '192.0.2.1' };
  return {
    method: 'GET',
    originalUrl: '/',
    headers: {},
    caller: GUEST,
    socket,
    failure: null,
    logMeta: null,
    ...more,
  } as never;
}

const reply = (statusCode: number) => ({ statusCode, elapsedTime: 1.5 }) as FastifyReply;

const rich = request({
  method: 'POST',
  originalUrl: '/api/rich?a=1',
  headers: { referer: 'https://example.com/', 'user-agent': 'agent' },
  caller: { ...GUEST, ip: '192.0.2.7', auth: { id: 'account_of_rich1', collection: { name: 'users' } } },
  failure: new Error('it failed'),
  logMeta: { seen: true },
});

describe('entries of requests', () => {
  it('OPS-85 nothing of an earlier request is left in an entry that is used again', () => {
    const entries = new RequestEntries();
    const first = entries.of(LOG_LEVELS.error, rich, reply(500), SETTINGS);
    expect(first.data).toMatchObject({ auth: 'users', authId: 'account_of_rich1', error: 'it failed' });
    entries.giveBack(first);

    const again = entries.of(LOG_LEVELS.info, request({}), reply(200), SETTINGS);
    const fresh = new RequestEntries().of(LOG_LEVELS.info, request({}), reply(200), SETTINGS);
    expect(again).toBe(first);
    expect([again.level, again.message, again.data]).toEqual([fresh.level, fresh.message, fresh.data]);
  });

  it('OPS-85 an entry that waits is not used for another request', () => {
    const entries = new RequestEntries();
    const waiting = entries.of(LOG_LEVELS.error, rich, reply(500), SETTINGS);
    const other = entries.of(LOG_LEVELS.info, request({}), reply(200), SETTINGS);
    expect(other).not.toBe(waiting);
    expect(waiting.message).toBe('POST /api/rich?a=1');
  });

  it('keeps no long texts and no failures of an entry that is done', () => {
    const entries = new RequestEntries();
    const long = request({
      originalUrl: `/api/rich?a=${'1'.repeat(200)}`,
      headers: { referer: `https://example.com/${'1'.repeat(200)}`, 'user-agent': `agent${'1'.repeat(200)}` },
      failure: new Error('it failed'),
      logMeta: { seen: true },
    });
    const done = entries.of(LOG_LEVELS.error, long, reply(500), SETTINGS);
    expect(JSON.stringify(done)).toMatch(/rich\?.*example.*agent.*seen/);
    entries.giveBack(done);
    expect(JSON.stringify(done)).not.toMatch(/rich|example|agent|seen|failed/);
  });
});

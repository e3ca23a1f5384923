import { HttpException } from '@nestjs/common';
import { expect, it } from 'vitest';
import type { CollectionStore } from '../../src/collections/collection-store.js';
import type { Database } from '../../src/database/database.js';
import { DatabaseError } from '../../src/database/database.error.js';
import type { StreamInterest } from '../../src/events/stream-interest.js';
import type { InstanceLink } from '../../src/instances/instance-link.js';
import { ApiError } from '../../src/kernel/errors/api-error.js';
import { ServiceUnavailableError } from '../../src/kernel/errors/service-unavailable.error.js';
import type { Caller } from '../../src/kernel/records/caller.js';
import type { SseHub } from '../../src/sse/sse-hub.js';
import { OtherInstances } from '../../src/realtime/other-instances.js';
import type { RealtimeClients } from '../../src/realtime/realtime-clients.js';
import type { AuthRecords } from '../../src/records/auth-records.js';

/** Asks itself, as if it were another one that holds the stream. */
function askingItself(catchUp: () => void): OtherInstances {
  const answers = new Map<string, (payload: unknown) => unknown>();
  const link = {
    onQuestion: (name: string, answer: (payload: unknown) => unknown) => answers.set(name, answer),
    // What it could not answer is no answer.
    askOthers: async (name: string, payload: unknown) => {
      const answer = await Promise.resolve(answers.get(name)!(payload)).catch(() => undefined);
      return answer === undefined ? [] : [JSON.parse(JSON.stringify(answer))];
    },
  } as unknown as InstanceLink;
  const clients = { find: () => ({}) } as unknown as RealtimeClients;
  const database = { catchUp } as unknown as Database;
  const interest = {} as StreamInterest;
  const hub = { onStreamEnd: () => undefined } as unknown as SseHub;
  return new OtherInstances(link, clients, {} as CollectionStore, {} as AuthRecords, database, interest, hub);
}

const CALLER = { auth: null, request: {}, ip: '127.0.0.1' } as unknown as Caller;
const WANTED = { clientId: 'one', topics: new Set(['posts']) };

it('RT-97 SCALE-18 a subscription is answered 503 with Retry-After when the database is away from who holds the stream', async () => {
  const others = askingItself(() => {
    const answer = new ServiceUnavailableError('The database is not available at the moment.', 2);
    throw new DatabaseError('unavailable', 'It restarts.', {}, { answer });
  });
  others.onSubscribe(async () => undefined);
  const failure = await others.subscribe(WANTED, CALLER).catch((error: unknown) => error as ApiError);
  expect(failure).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
});

it('RT-97 what refuses a subscription where the stream is refuses it here', async () => {
  const others = askingItself(() => undefined);
  others.onSubscribe(() => Promise.reject(new ApiError(403, 'No.', { why: 'so' })));
  const failure = await others.subscribe(WANTED, CALLER).catch((error: unknown) => error as ApiError);
  expect(failure).toMatchObject({ status: 403, message: 'No.', data: { why: 'so' } });
});

it("RT-97 EXT-32 an exception of Nest's refuses it as it does here, and a fault is one: 404 is for streams nobody holds", async () => {
  const failing = async (error: unknown) => {
    const others = askingItself(() => undefined);
    others.onSubscribe(() => Promise.reject(error));
    return others.subscribe(WANTED, CALLER).catch((failure: unknown) => failure as ApiError);
  };
  const exception = new HttpException({ message: 'Not now.', data: { why: 'so' } }, 409);
  expect(await failing(exception)).toMatchObject({ status: 409, message: 'Not now.', data: { why: 'so' } });
  const fault = (await failing(new TypeError('a secret'))) as ApiError;
  expect([fault.status, fault.message.includes('secret')]).toEqual([500, false]);
});

import { beforeEach, describe, expect, it } from 'vitest';
import { EmailChangePauses } from '../../src/auth/emails/email-change-pauses.js';
import { OtpDecoys } from '../../src/auth/otp/otp-decoys.js';
import { AttemptWindow } from '../../src/ephemeral/attempt-window.js';
import type { EphemeralStore } from '../../src/ephemeral/ephemeral-store.js';
import { MemoryEphemeralStore } from '../../src/ephemeral/memory-ephemeral-store.js';
import type { Collection } from '../../src/kernel/collections/collection.js';
import type { MaybePromise } from '../../src/kernel/maybe-promise.js';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { TestClock } from '../../src/testing/test-clock.js';

/** A store that answers later, as those do that several processes share. */
function later(store: EphemeralStore): EphemeralStore {
  const slow =
    <Args extends unknown[], Result>(method: (...args: Args) => MaybePromise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await new Promise(setImmediate);
      return method.apply(store, args);
    };
  return {
    get: slow(store.get),
    set: slow(store.set),
    setIfAbsent: slow(store.setIfAbsent),
    take: slow(store.take),
    delete: slow(store.delete),
    count: slow(store.count),
    read: slow(store.read),
  };
}

const tooMany = expect.objectContaining({ status: 429 }) as Error;

describe.each([
  ['at once', (store: EphemeralStore) => store],
  ['later', later],
])('throttles over a store that answers %s', (_, as) => {
  let clock: TestClock;
  let store: EphemeralStore;
  beforeEach(() => {
    clock = new TestClock();
    clock.freeze();
    store = as(new MemoryEphemeralStore(clock));
  });

  it('AUTH-835 lets a number of attempts through per fixed window, whoever else attempts', async () => {
    const window = new AttemptWindow(store, { space: 'test', attempts: 2, window: 1000 });
    await window.take('a');
    clock.advance(400);
    await window.take('a');
    clock.advance(599);
    await expect(window.take('a')).rejects.toThrow(tooMany);
    await window.take('b');
    clock.advance(1);
    await window.take('a');
    await window.take('a');
    await expect(window.take('a')).rejects.toThrow();
  });

  it('AUTH-835 refused attempts do not prolong the window, and are told how long it lasts', async () => {
    const window = new AttemptWindow(store, { space: 'test', attempts: 1, window: 10_000 });
    await window.take('a');
    for (let second = 0; second < 10; second++) {
      await expect(window.take('a')).rejects.toThrow(expect.objectContaining({ retryAfter: 10 - second }) as Error);
      clock.advance(1000);
    }
    await window.take('a');
  });

  it('AUTH-835 SCALE-24 lets as many through as there are, of any number at the same time', async () => {
    const window = new AttemptWindow(store, { space: 'test', attempts: 3, window: 1000 });
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => window.take('a')));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });

  it('OPS-39 an account has five mails sent to new addresses, also when it asks for many at once', async () => {
    const pauses = new EmailChangePauses(store);
    const record = { id: 'r', collection: { id: 'c' } } as RecordModel;
    const begin = (address: string) => pauses.begin(record, address);
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => begin(`${index}@x.test`)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const refused = results.findIndex(({ status }) => status === 'rejected');
    const another = { id: 's', collection: { id: 'c' } } as RecordModel;
    // No mail went there, so that it is nobody's pause.
    await pauses.begin(another, `${refused}@x.test`);
    await expect(pauses.begin(another, `${refused}@X.TEST`)).rejects.toThrow(tooMany);
  });

  it('AUTH-837 an address without an account has as many codes as one with, also when many are asked for at once', async () => {
    const decoys = new OtpDecoys(store, clock);
    const collection = { id: 'c', auth: { otp: { duration: 60 } } } as unknown as Collection;
    const ids = await Promise.all(Array.from({ length: 30 }, () => decoys.issue(collection, 'x@x.test', 10)));
    expect(new Set(ids).size).toBe(10);
    const latest = await decoys.issue(collection, 'x@x.test', 10);
    expect(ids).toContain(latest);
    await decoys.drop(latest);
    expect(await decoys.findOwner(collection, latest)).toBeUndefined();
    clock.advance(1000);
    const next = await decoys.issue(collection, 'x@x.test', 10);
    expect(ids).not.toContain(next);
    expect(await decoys.issue(collection, 'x@x.test', 10)).toBe(next);
    expect(await decoys.findOwner(collection, next)).toBe('c/x@x.test');
    clock.advance(59_999);
    expect(await decoys.findOwner(collection, next)).toBe('c/x@x.test');
    expect(
      await decoys.findOwner(
        collection,
        ids.find((id) => id !== latest)!,
      ),
    ).toBeUndefined();
    clock.advance(1);
    expect(await decoys.findOwner(collection, next)).toBeUndefined();
  });
});

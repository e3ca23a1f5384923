import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MemoryEphemeralStore } from '../../src/ephemeral/memory-ephemeral-store.js';
import { FallbackEphemeralStore } from '../../src/ephemeral/fallback-ephemeral-store.js';
import { ephemeralAnswers, RemoteEphemeralStore } from '../../src/ephemeral/remote-ephemeral-store.js';
import { TestClock } from '../../src/testing/test-clock.js';
import { inProcessChannel } from '../support/in-process-channel.js';

describe('a shared store that fails', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('SCALE-24 leaves throttles to the memory of each process until it is back, and says so once a minute', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const clock = new TestClock();
    clock.freeze();
    const channel = inProcessChannel(ephemeralAnswers(new MemoryEphemeralStore(clock)));
    let isGone = false;
    const request = (name: string, payload: unknown) =>
      isGone ? Promise.reject(new Error('gone')) : channel.request(name, payload);
    const shared = new RemoteEphemeralStore({ request });
    const store = new FallbackEphemeralStore(shared, new MemoryEphemeralStore(clock), clock);
    await store.count('a:b', 600_000);
    await store.set('a:d', 'kept', 600_000);
    isGone = true;
    const counts = [await store.count('a:b', 600_000), await store.count('a:b', 600_000), await store.read('a:b')];
    expect(counts).toMatchObject([{ count: 1 }, { count: 2 }, { count: 2 }]);
    expect([await store.setIfAbsent('a:c', 1, 1000), await store.setIfAbsent('a:c', 1, 1000)]).toEqual([true, false]);
    expect([await store.get('a:d'), await store.take('a:c'), await store.take('a:c')]).toEqual([
      undefined,
      1,
      undefined,
    ]);
    expect(warn).toHaveBeenCalledTimes(1);
    clock.advance(60_000);
    await store.delete('a:b');
    expect(warn).toHaveBeenCalledTimes(2);
    isGone = false;
    expect([await store.count('a:b', 600_000), await store.get('a:d')]).toMatchObject([{ count: 2 }, 'kept']);
    expect(warn).toHaveBeenCalledTimes(2);
  });
});

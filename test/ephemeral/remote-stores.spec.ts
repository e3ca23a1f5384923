import { describe, expect, it } from 'vitest';
import { MemoryEphemeralStore } from '../../src/ephemeral/memory-ephemeral-store.js';
import { ephemeralAnswers, RemoteEphemeralStore } from '../../src/ephemeral/remote-ephemeral-store.js';
import { MemoryRateLimitStore } from '../../src/rate-limits/memory-rate-limit-store.js';
import { rateLimitAnswers, RemoteRateLimitStore } from '../../src/rate-limits/remote-rate-limit-store.js';
import { TestClock } from '../../src/testing/test-clock.js';
import { ephemeralStoreContract } from '../contracts/ephemeral-store.js';
import { rateLimitStoreContract } from '../contracts/rate-limit-store.js';
import { inProcessChannel } from '../support/in-process-channel.js';

function frozen(): { clock: TestClock; pass: (milliseconds: number) => void } {
  const clock = new TestClock();
  clock.freeze();
  return { clock, pass: (milliseconds) => clock.advance(milliseconds) };
}

ephemeralStoreContract('the memory of another process', async () => {
  const { clock, pass } = frozen();
  const answers = ephemeralAnswers(new MemoryEphemeralStore(clock));
  const store = () => new RemoteEphemeralStore(inProcessChannel(answers));
  return { store: store(), other: store(), pass };
});

rateLimitStoreContract('the memory of another process', async () => {
  const { clock, pass } = frozen();
  const answers = rateLimitAnswers(new MemoryRateLimitStore(clock));
  const store = () => new RemoteRateLimitStore(inProcessChannel(answers));
  return { store: store(), other: store(), pass };
});

describe('stores in another process', () => {
  it('SCALE-24 fail where that fails', async () => {
    const nobody = inProcessChannel({});
    await expect(new RemoteEphemeralStore(nobody).count('a:b', 1000)).rejects.toThrow('Nobody answers');
    await expect(new RemoteRateLimitStore(nobody).take('a', { duration: 1000, tokens: 1 })).rejects.toThrow('Nobody');
  });
});

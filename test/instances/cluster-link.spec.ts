import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ClusterLink } from '../../src/instances/cluster-link.js';
import type { BusListener, InstanceBus } from '../../src/instances/instance-bus.js';
import type { InstanceLocks } from '../../src/instances/instance-locks.js';
import { LoneInstance } from '../../src/instances/lone-instance.js';

/** Timers stand still: whatever comes, comes without the end of a time. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] }));
afterEach(() => vi.useRealTimers());

/** Carries what one says to all that listen. */
class Air {
  private readonly listeners: BusListener[] = [];

  async say(message: string): Promise<void> {
    for (const listener of this.listeners) listener(message);
  }

  bus(): InstanceBus {
    return {
      isUp: true,
      open: async () => undefined,
      publish: (_channel, message) => this.say(message),
      subscribe: async (_channel, listener) => void this.listeners.push(listener),
      onLost: () => undefined,
      onBack: () => undefined,
      close: () => undefined,
    };
  }
}

const HELD = { ended: new Promise<void>(() => undefined), release: async () => undefined };
const LOCKS: InstanceLocks = {
  leads: false,
  tryLock: async () => HELD,
  lock: async () => HELD,
  campaign: async () => undefined,
  close: async () => undefined,
};

async function serving(air: Air, id: string): Promise<ClusterLink> {
  const link = new ClusterLink({ id, bus: air.bus(), locks: LOCKS, local: new LoneInstance() });
  await link.open();
  link.ready();
  return link;
}

it('RT-97 SCALE-22 who has the one answer there is waits for nobody who has ended without a word', async () => {
  const air = new Air();
  const one = await serving(air, 'one');
  const two = await serving(air, 'two');
  // It has said that it is there, and says nothing any more.
  await air.say(JSON.stringify({ kind: 'here', from: 'killed' }));
  two.onQuestion('holder', () => 'here it is');
  expect(await one.askOthers('holder', null, { ofOne: true })).toEqual(['here it is']);
});

it('RT-97 who wants all answers waits for each of the others, and for two seconds at most', async () => {
  const air = new Air();
  const one = await serving(air, 'one');
  const two = await serving(air, 'two');
  await air.say(JSON.stringify({ kind: 'here', from: 'killed' }));
  two.onQuestion('count', () => 3);
  const answers = vi.fn();
  const asked = one.askOthers('count', null).then(answers);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(answers).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await asked;
  expect(answers).toHaveBeenCalledWith([3]);
});

import { describe, expect, it, vi } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { DatabaseError } from '../../src/database/database.error.js';
import type { Outbox } from '../../src/events/outbox.js';
import { DeliveryQueue } from '../../src/realtime/delivery-queue.js';
import type { SseHub } from '../../src/sse/sse-hub.js';

function queue() {
  let ended = 0;
  let miss: () => void = () => {};
  const database = { runOutside: (work: () => unknown) => work() } as unknown as Database;
  const hub = { endAll: () => void ended++ } as unknown as SseHub;
  const outbox = { onMissed: (listener: () => void) => (miss = listener) } as unknown as Outbox;
  return { miss: () => miss(), queue: new DeliveryQueue(database, hub, outbox), ended: () => ended };
}

describe('the queue of events', () => {
  it('RT-80 deals with one after another, and goes on after one that fails', async () => {
    const { queue: events } = queue();
    const log: string[] = [];
    let finish: () => void = () => {};
    events.add(async () => {
      log.push('first begins');
      await new Promise<void>((resolve) => (finish = resolve));
      log.push('first ends');
    });
    events.add(() => Promise.reject(new Error('broken')));
    const last = new Promise<void>((resolve) => events.add(() => (log.push('last'), resolve())));
    await expect.poll(() => log).toEqual(['first begins']);
    finish();
    await last;
    expect(log).toEqual(['first begins', 'first ends', 'last']);
  });

  it('SCALE-21 RT-80 an event waits while the database is away, and those that come after it wait for it', async () => {
    const { queue: events, ended } = queue();
    const log: string[] = [];
    let isAway = true;
    events.add(() => {
      log.push('first');
      if (isAway) throw new DatabaseError('unavailable', 'It restarts.');
    });
    const last = new Promise<void>((resolve) => events.add(() => (log.push('last'), resolve())));
    await expect.poll(() => log.length).toBeGreaterThan(1);
    expect(new Set(log)).toEqual(new Set(['first']));
    isAway = false;
    await last;
    expect(log.at(-2)).toBe('first');
    expect(log.filter((each) => each === 'last')).toHaveLength(1);
    expect(ended()).toBe(0);
  });

  it('SCALE-21 RT-98 ends all streams when the database stays away, and tells nobody what waited for it', async () => {
    const { queue: events, ended } = queue();
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 20_000));
    let done = 0;
    events.add(() => Promise.reject(new DatabaseError('unavailable', 'It is gone.')));
    events.add(() => void done++);
    await expect.poll(ended).toBe(1);
    clock.mockRestore();
    await new Promise<void>((resolve) => events.add(resolve));
    expect(done).toBe(0);
    expect(ended()).toBe(1);
  });

  it('ends all streams when more wait than can be delivered, and begins anew', async () => {
    const { queue: events, ended } = queue();
    let finish: () => void = () => {};
    let done = 0;
    events.add(() => new Promise<void>((resolve) => (finish = resolve)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (let count = 0; count < 50_000; count++) events.add(() => void done++);
    expect(ended()).toBe(0);
    events.add(() => void done++);
    expect(ended()).toBe(1);
    events.add(() => void done++);
    finish();
    await expect.poll(() => done).toBe(1);
    expect(ended()).toBe(1);
  });

  it('RT-98 ends all streams when events of other processes are gone that were never read', () => {
    const { miss, ended } = queue();
    expect(ended()).toBe(0);
    miss();
    expect(ended()).toBe(1);
  });
});

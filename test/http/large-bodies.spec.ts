import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RoostConfig } from '../../src/config/roost-config.js';
import { LargeBodies } from '../../src/http/body/large-bodies.js';
import { eventually } from '../support/eventually.js';

const MEBIBYTE = 1024 * 1024;

describe('turns of large bodies', () => {
  const bodies = () => new LargeBodies({ dir: '/nowhere' } as RoostConfig);

  afterEach(() => void vi.useRealTimers());

  /** Asks for turns; whose they were, in the order in which they came, and how the first of them ends. */
  function turns(room: LargeBodies) {
    const entered: string[] = [];
    const leaving: (() => void)[] = [];
    const failed: unknown[] = [];
    const ask = (name: string, length = 30 * MEBIBYTE) =>
      void room.enter(length, name[0]!).then(
        (leave) => {
          entered.push(name);
          leaving.push(leave);
        },
        (error: unknown) => failed.push(error),
      );
    const next = async () => {
      leaving.shift()!();
      await eventually(() => expect(leaving.length).toBeGreaterThan(0));
    };
    return { entered, failed, leaving, ask, next };
  }

  it('OPS-39 go to one client after the other, in order of arrival among those of each', async () => {
    const { entered, ask, next } = turns(bodies());
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) ask(name);
    await eventually(() => expect(entered).toEqual(['a1']));
    for (let turn = 0; turn < 5; turn++) await next();
    expect(entered).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('OPS-39 are for one that may become thirty times as much, and for a few small ones at once', async () => {
    const { entered, ask, leaving } = turns(bodies());
    for (let number = 0; number < 10; number++) ask(`a${number}`, MEBIBYTE);
    await eventually(() => expect(entered).toHaveLength(1));
    leaving.shift()!();
    await eventually(() => expect(entered).toHaveLength(2));
    const small = turns(bodies());
    for (let number = 0; number < 12; number++) small.ask(`a${number}`, 300_000);
    await eventually(() => expect(small.entered).toHaveLength(3));
    small.leaving.shift()!();
    await eventually(() => expect(small.entered).toHaveLength(4));
  });

  it('OPS-39 end with 429 for those that wait too long, and nobody waits for these', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { entered, failed, leaving, ask } = turns(bodies());
    ask('a1');
    ask('b1');
    await vi.advanceTimersByTimeAsync(20_000);
    ask('c1', MEBIBYTE);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(failed).toMatchObject([{ status: 429 }]);
    leaving.shift()!();
    await vi.advanceTimersByTimeAsync(1);
    expect(entered).toEqual(['a1', 'c1']);
  });
});

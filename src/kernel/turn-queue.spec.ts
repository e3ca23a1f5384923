import { describe, expect, it } from 'vitest';
import { type EndTurn, TurnQueue } from './turn-queue.js';

describe('turns', () => {
  const log: string[] = [];
  const ends: EndTurn[] = [];

  async function settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Asks for turns; a letter is the client, if it is one. */
  async function ask(turns: TurnQueue, ...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const client = /^[a-z]/.exec(name)?.[0];
      void turns.acquire(undefined, client).then((end) => {
        log.push(name);
        ends.push(end);
      });
    }
    await settle();
  }

  async function endAll(): Promise<void> {
    while (ends.length > 0) {
      ends.shift()!();
      await settle();
    }
  }

  it('OPS-39 are taken by clients, whatever one of them waits for', async () => {
    log.length = 0;
    const turns = new TurnQueue();
    await ask(turns, 'a1', 'a2', 'a3', 'b1', 'a4', 'c1', '1', 'b2');
    await endAll();
    expect(log).toEqual(['a1', 'a2', 'b1', 'c1', '1', 'a3', 'b2', 'a4']);
    expect(turns.isWaitedFor).toBe(false);
  });

  it('OPS-39 are left for others where there are several at once, but for what is for nobody', async () => {
    log.length = 0;
    const turns = new TurnQueue(3);
    await ask(turns, 'a1', 'a2', 'a3', 'a4');
    expect(log).toEqual(['a1', 'a2']);
    await ask(turns, 'b1', '1');
    expect(log).toEqual(['a1', 'a2', 'b1']);
    await endAll();
    expect(log).toEqual(['a1', 'a2', 'b1', 'a3', '1', 'a4']);
    await ask(turns, '2', '3', '4');
    expect(log.slice(6)).toEqual(['2', '3', '4']);
    await endAll();
  });

  it('OPS-39 are left for others when one of them ends, too', async () => {
    log.length = 0;
    const turns = new TurnQueue(3);
    await ask(turns, 'a1', 'a2', 'b1', 'a3');
    ends.pop()!();
    await settle();
    expect(log).toEqual(['a1', 'a2', 'b1']);
    await ask(turns, 'c1');
    expect(log).toEqual(['a1', 'a2', 'b1', 'c1']);
    await endAll();
    expect(log).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
  });

  it('are given up without holding up anybody', async () => {
    log.length = 0;
    const turns = new TurnQueue();
    await ask(turns, 'a1');
    const giving = new AbortController();
    const given = turns.acquire(giving.signal, 'b');
    await ask(turns, 'c1');
    giving.abort(new Error('No longer.'));
    await expect(given).rejects.toThrow('No longer.');
    await endAll();
    expect(log).toEqual(['a1', 'c1']);
    expect(turns.isWaitedFor).toBe(false);
  });
});

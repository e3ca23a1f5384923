import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { LocalEventBus } from '../../src/events/local-event-bus.js';
import type { Outbox } from '../../src/events/outbox.js';
import { StreamInterest } from '../../src/events/stream-interest.js';
import { LoneInstance } from '../../src/instances/lone-instance.js';
import { hubOf, type TestWorker } from './hub-of-workers.js';

/** A database of which only the work around a commit is used; the commit ends when it is told to. */
function commits() {
  const ends: (() => void)[] = [];
  const rollbacks: (() => void)[] = [];
  const database = {
    dialect: { writersTakeTurns: true },
    commitWork: {
      aroundCommit: (watch: () => () => void) => void ends.push(watch()),
      afterRollback: (work: () => void) => void rollbacks.push(work),
    },
  } as unknown as Database;
  return { database, ends, rollbacks };
}

const interestOf = ({ link }: TestWorker, { database } = commits()) => new StreamInterest(link, database);

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('what other workers want to hear of', () => {
  it('SCALE-21 any may have streams until all have been asked; then each says when that changes', async () => {
    const [one, two, three] = hubOf(3).workers.map((worker) => interestOf(worker));
    await three!.listen(true);
    expect(one!.exists).toBe(true);
    await one!.learn();
    await two!.learn();
    expect([one!.exists, two!.exists]).toEqual([true, true]);
    await three!.listen(false);
    expect([one!.exists, two!.exists]).toEqual([false, false]);
    await two!.listen(true);
    expect([one!.exists, two!.exists]).toEqual([true, false]);
  });

  it('SCALE-21 one that begins to listen waits for commits whose events were not written for it', async () => {
    for (const outcome of ['commit', 'rollback']) {
      const { workers } = hubOf(2);
      const work = commits();
      const one = interestOf(workers[0]!, work);
      const two = interestOf(workers[1]!);
      await one.learn();
      one.trackUnannounced();
      let isKnown = false;
      const known = two.listen(true).then(() => (isKnown = true));
      await settled();
      expect([one.exists, isKnown]).toEqual([true, false]);
      (outcome === 'commit' ? work.ends : work.rollbacks)[0]!();
      await known;
    }
  });

  it('RT-50 one that begins to listen waits for its own transactions that leave events out, alone or not', async () => {
    for (const link of [new LoneInstance(), hubOf(2).workers[0]!.link]) {
      const work = commits();
      const one = new StreamInterest(link, work.database);
      await one.learn();
      one.trackUnannounced();
      let isKnown = false;
      const known = one.listen(true).then(() => (isKnown = true));
      // A second stream does not go before the first.
      const second = one.listen(true).then(() => (isKnown = true));
      await settled();
      expect([one.isHere, isKnown]).toEqual([true, false]);
      work.ends[0]!();
      await Promise.all([known, second]);
    }
  });

  it('SCALE-21 events for streams are heard as long as any process has one, others always', async () => {
    class ForStreams {}
    class ForOthers {}
    const outbox = { onEvent: () => undefined, register: () => undefined } as unknown as Outbox;
    const [one, two] = hubOf(2).workers.map((worker) => interestOf(worker));
    const bus = new LocalEventBus(commits().database, outbox, one!);
    bus.subscribe(ForStreams, () => undefined, { everywhere: 'streams' });
    bus.subscribe(ForOthers, () => undefined);
    const heard = () => [bus.isHeard(ForStreams), bus.isHeard(ForOthers)];
    expect(heard()).toEqual([true, true]);
    await one!.learn();
    expect(heard()).toEqual([false, true]);
    await one!.listen(true);
    expect(heard()).toEqual([true, true]);
    await one!.listen(false);
    await two!.listen(true);
    expect(heard()).toEqual([true, true]);
    await two!.listen(false);
    expect(heard()).toEqual([false, true]);
  });

  it('SCALE-21 waits for none that has ended, and forgets its streams', async () => {
    const { workers } = hubOf(2);
    const one = interestOf(workers[0]!);
    const two = interestOf(workers[1]!);
    await one.learn();
    await two.listen(true);
    two.trackUnannounced();
    const known = one.listen(true);
    workers[1]!.die();
    await known;
    await settled();
    expect(one.exists).toBe(false);
  });
});

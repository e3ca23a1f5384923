import { describe, expect, it } from 'vitest';
import { DefinitionsLock } from '../../src/database/postgres/definitions-lock.js';

/** Notes what has happened, and lets everything happen that can. */
function notes() {
  const seen: string[] = [];
  const note = (what: string) => () => void seen.push(what);
  const settled = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return [...seen];
  };
  return { note, settled };
}

describe('the part of a process in the lock on definitions', () => {
  it('SCALE-23 whoever changes definitions waits for those that go by them and have told nobody yet', async () => {
    const lock = new DefinitionsLock();
    const { note, settled } = notes();
    const told = await lock.share();
    const change = lock.exclude();
    void change.othersHaveBegun().then(note('changes'));
    expect(await settled()).toEqual([]);
    told();
    expect(await settled()).toEqual(['changes']);
  });

  it('SCALE-23 nobody begins while somebody changes definitions or is about to', async () => {
    const lock = new DefinitionsLock();
    const { note, settled } = notes();
    const [one, other] = [lock.exclude(), lock.exclude()];
    void lock.share().then(note('begins'));
    void one.take();
    one.end();
    expect(await settled()).toEqual([]);
    other.end();
    expect(await settled()).toEqual(['begins']);
  });

  it('SCALE-23 the server may give the lock to the next one before the last one is done here', async () => {
    const lock = new DefinitionsLock();
    const { note, settled } = notes();
    const [one, next] = [lock.exclude(), lock.exclude()];
    await one.take();
    void next.take().then(note('next'));
    expect(await settled()).toEqual([]);
    one.end();
    expect(await settled()).toEqual(['next']);
  });
});

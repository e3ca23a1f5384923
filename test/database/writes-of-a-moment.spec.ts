import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryDatabase, type TemporaryDatabase } from './temporary-database.js';

/** Longer than all writes of one round of the event loop may take. */
const LONG = 8;

function work(): void {
  const until = performance.now() + LONG;
  while (performance.now() < until);
}

describe('writes that arrive in the same moment', () => {
  let notes: TemporaryDatabase;
  const log: string[] = [];

  beforeEach(async () => {
    log.length = 0;
    notes = await temporaryDatabase('better-sqlite3');
  });
  afterEach(() => notes.remove());

  const write = (name: string): Promise<void> =>
    notes.database.transaction(async () => {
      log.push(name);
      work();
    });
  /** Each as a request whose socket was read after that of the one before. */
  const apart = (names: readonly string[]): Promise<unknown> =>
    Promise.all(names.map((name) => new Promise((resolve) => setImmediate(() => resolve(write(name))))));
  /** Somebody whose turn is in the next round of the event loop. */
  const others = (): unknown => setImmediate(() => setImmediate(() => log.push('others')));

  it('OPS-39 let others in when they are carried out one after another', async () => {
    const written = apart(['first', 'second', 'third']);
    others();
    await written;
    expect(log).toEqual(['first', 'second', 'others', 'third']);
  });

  it('OPS-39 let others in when they wait for each other', async () => {
    const written = Promise.all(['first', 'second', 'third'].map(write));
    setImmediate(() => log.push('others'));
    await written;
    expect(log).toEqual(['first', 'others', 'second', 'third']);
  });
});

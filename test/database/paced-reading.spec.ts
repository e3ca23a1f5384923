import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { paceReading } from '../../src/database/postgres/paced-reading.js';
import { eventually } from '../support/eventually.js';

/** In how many rounds of the event loop pieces of an answer are read, each of which takes 5 ms to make sense of. */
async function roundsFor(bytes: number): Promise<number> {
  const stream = new PassThrough({ highWaterMark: 1024 * 1024 });
  let round = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    round += 1;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  const rounds: number[] = [];
  stream.on('data', () => {
    for (const end = performance.now() + 5; performance.now() < end;);
    rounds.push(round);
  });
  paceReading({ connection: { stream } } as never);
  for (let piece = 0; piece < 10; piece += 1) stream.write(Buffer.alloc(bytes));
  await eventually(() => expect(rounds).toHaveLength(10));
  clearImmediate(next);
  return new Set(rounds).size;
}

it('OPS-39 others have their turn while large answers of PostgreSQL arrive', async () => {
  expect(await roundsFor(64 * 1024)).toBeGreaterThan(2);
});

it('small answers of PostgreSQL that arrive together are read at once', async () => {
  expect(await roundsFor(1024)).toBe(1);
});

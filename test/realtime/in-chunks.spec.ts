import { expect, it } from 'vitest';
import { inChunks } from '../../src/sse/in-chunks.js';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

it('RT-85 takes 150 at a time, in order, and gives the event loop back between them', async () => {
  const log: (number | string)[] = [];
  const ticking = setInterval(() => log.push('others'), 0);
  await inChunks(numbers(400), (chunk) => {
    log.push(chunk.length, chunk[0]!);
    const until = performance.now() + 5;
    while (performance.now() < until);
  });
  clearInterval(ticking);
  expect(log.filter((entry) => entry !== 'others')).toEqual([150, 0, 150, 150, 100, 300]);
  expect(log.slice(0, -2)).toContain('others');
});

it('RT-85 does not let a chunk that waits hold up the next one, and ends with the last', async () => {
  const ended: number[] = [];
  await inChunks(numbers(300), async (chunk) => {
    await new Promise((resolve) => setTimeout(resolve, chunk[0] === 0 ? 50 : 1));
    ended.push(chunk[0]!);
  });
  expect(ended).toEqual([150, 0]);
});

it('RT-85 fails when a chunk fails', async () => {
  const failing = inChunks(numbers(10), () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  await inChunks([], () => Promise.reject(new Error('never called')));
});

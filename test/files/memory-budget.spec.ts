import { expect, it } from 'vitest';
import { MemoryBudget } from '../../src/files/memory-budget.js';

it('OPS-39 images are decoded side by side as long as they fit, the others in order of arrival', async () => {
  const budget = new MemoryBudget(100);
  const running = new Map<string, () => void>();
  const start = (name: string, bytes: number) =>
    budget.run(bytes, () => new Promise<void>((resolve) => running.set(name, resolve)));
  const finish = async (name: string) => {
    running.get(name)!();
    running.delete(name);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const all = [start('a', 60), start('b', 40), start('c', 100), start('d', 10), start('e', 20)];
  await new Promise((resolve) => setImmediate(resolve));
  expect([...running.keys()]).toEqual(['a', 'b']);
  await finish('a');
  // Nobody passes what waits for more room.
  expect([...running.keys()]).toEqual(['b']);
  await finish('b');
  expect([...running.keys()]).toEqual(['c']);
  await finish('c');
  expect([...running.keys()]).toEqual(['d', 'e']);
  await finish('d');
  await finish('e');
  await Promise.all(all);
});

import { executionAsyncResource } from 'node:async_hooks';

const TICK = Symbol.for('roost.tick');

/**
 * Keeps one entry of Node's queue of ticks alive. V8 forgets the shape of objects of which there is none when it collects
 * garbage, as it does while the program is being loaded, and whatever was learnt of them: each later tick then takes four
 * times as long, which is a twelfth of a small answer.
 */
export function keepTick(): void {
  process.nextTick(() => Object.assign(globalThis, { [TICK]: executionAsyncResource() }));
}

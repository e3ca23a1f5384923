/** How often a process is interrupted: a few times in the suite, as often as one likes with `npm run test:faults`. */
export function roundsOf(few: number): number {
  const factor = Number(process.env['ROOST_FAULT_FACTOR'] ?? '1');
  return Math.max(1, Math.round(few * factor));
}

/**
 * The seed of this run, printed so that its choices can be made again. When something happens depends on the machine.
 */
export function seedOf(name: string): number {
  const seed = Number(process.env['ROOST_FAULT_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
  console.info(`${name}: ROOST_FAULT_SEED=${seed}`);
  return seed;
}

/** Numbers from 0 to below 1 that follow from a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

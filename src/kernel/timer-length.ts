const LONGEST = 2 ** 31 - 1;

/** Limits a duration to what a timer can take, 24 days: with more it would fire at once. */
export function timerLength(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST);
}

const LONGEST = 2 ** 31 - 1;

/** As many milliseconds as a timer can take, which is 24 days; it would fire at once if it were given more. */
export function timerLength(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST);
}

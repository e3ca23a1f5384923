/**
 * A value that is there, or will come. On hot paths only: most of what happens inside a transaction waits for nothing,
 * and every promise costs as much as several steps of the work. What gives one may throw at once as well as reject.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value: at once when it is there, otherwise when it comes. */
export function andThen<T, Next>(value: MaybePromise<T>, next: (value: T) => MaybePromise<Next>): MaybePromise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}

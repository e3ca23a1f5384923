/**
 * A value that is there, or will come. On hot paths only: most of what happens inside a transaction waits for nothing,
 * and every promise costs as much as several steps of the work. What gives one may throw at once as well as reject.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value: at once when it is there, otherwise when it comes. */
export function andThen<T, Result>(
  value: MaybePromise<T>,
  goOn: (value: T) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then((come) => goOn(come)) : goOn(value);
}

/** Takes steps one after another, each when the one before is done. The first that fails is the last. */
export function inOrder(...steps: readonly (() => MaybePromise<void>)[]): MaybePromise<void> {
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index]!();
    if (step instanceof Promise) return step.then(() => inOrder(...steps.slice(index + 1)));
  }
}

/** Does work, and something else where it fails. */
export function orElse<T>(work: () => MaybePromise<T>, goOn: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(goOn) : result;
  } catch (error) {
    return goOn(error);
  }
}

/** Does work and one last thing, however the work ends. */
export function lastly<T>(work: () => MaybePromise<T>, last: () => void): MaybePromise<T> {
  let result: MaybePromise<T> | undefined;
  try {
    result = work();
  } finally {
    if (!(result instanceof Promise)) last();
  }
  return result instanceof Promise ? result.finally(last) : result;
}

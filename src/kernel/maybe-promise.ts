/**
 * A value, or a promise of it. For the steps of a view, and of a write and what they call: most of them wait for nothing,
 * and as promises they would cost a view 3 % more, a create a tenth and an item of a batch a third (measured side by
 * side). Everything else is `async`. A function that returns one may throw as well as reject.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with a value, synchronously when it is no promise. */
export function andThen<T, Result>(
  value: MaybePromise<T>,
  goOn: (value: T) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then((come) => goOn(come)) : goOn(value);
}

/** Runs steps one after another, each when the one before is done, up to the first that fails. */
export function series(...steps: readonly (() => MaybePromise<void>)[]): MaybePromise<void> {
  return forEachSeries(steps, (step) => step());
}

/** Runs work for items one after another, up to the first that fails. The stack does not grow with their number. */
export function forEachSeries<Item>(
  items: readonly Item[],
  work: (item: Item) => MaybePromise<void>,
): MaybePromise<void> {
  for (let index = 0; index < items.length; index++) {
    const working = work(items[index]!);
    if (working instanceof Promise) return restInOrder(items, index + 1, work, working);
  }
}

async function restInOrder<Item>(
  items: readonly Item[],
  from: number,
  work: (item: Item) => MaybePromise<void>,
  before: Promise<void>,
): Promise<void> {
  await before;
  for (let index = from; index < items.length; index++) {
    const working = work(items[index]!);
    if (working instanceof Promise) await working;
  }
}

/** Runs work, and `goOn` when it fails: `catch` for both kinds of value. */
export function andCatch<T>(work: () => MaybePromise<T>, goOn: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(goOn) : result;
  } catch (error) {
    return goOn(error);
  }
}

/** Runs work, and `last` however it ends: `finally` for both kinds of value. */
export function andFinally<T>(work: () => MaybePromise<T>, last: () => void): MaybePromise<T> {
  let result: MaybePromise<T> | undefined;
  try {
    result = work();
  } finally {
    if (!(result instanceof Promise)) last();
  }
  return result instanceof Promise ? result.finally(last) : result;
}

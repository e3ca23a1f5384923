/**
 * A value that is there, or will come. For the steps of a write and what they call: inside a transaction most of them
 * wait for nothing. As promises they cost a create a tenth more and an item of a batch a third (measured side by side).
 * Everything else is `async`. What gives one may throw at once as well as reject.
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
export function series(...steps: readonly (() => MaybePromise<void>)[]): MaybePromise<void> {
  return forEachSeries(steps, (step) => step());
}

/** Works on items one after another, however many they are. The first that fails is the last. */
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

/** Does work, and something else where it fails. */
export function andCatch<T>(work: () => MaybePromise<T>, goOn: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch(goOn) : result;
  } catch (error) {
    return goOn(error);
  }
}

/** Does work and one last thing, however the work ends. */
export function andFinally<T>(work: () => MaybePromise<T>, last: () => void): MaybePromise<T> {
  let result: MaybePromise<T> | undefined;
  try {
    result = work();
  } finally {
    if (!(result instanceof Promise)) last();
  }
  return result instanceof Promise ? result.finally(last) : result;
}

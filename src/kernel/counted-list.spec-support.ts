/** A list that counts how often somebody asked for one of its items. */
export function countedList<Item>(items: readonly Item[]): { list: readonly Item[]; asked: () => number } {
  let count = 0;
  const list = new Proxy(items, {
    get: (target, key, receiver): unknown => {
      if (typeof key === 'string' && /^\d+$/.test(key)) count++;
      return Reflect.get(target, key, receiver);
    },
  });
  return { list, asked: () => count };
}

/** Makes an object from the values of its keys, in the order of the keys. */
export type ObjectMaker = (values: readonly unknown[]) => Record<string, unknown>;

/**
 * A function that makes objects with these keys; of a key that comes twice the last value counts. It is compiled from
 * a text in which the keys stand as literals, as routers and JSON serialisers do it: V8 then knows the shape before
 * the first value is there, which takes a tenth of the time of setting one key after the other.
 */
export function objectMaker(keys: readonly string[]): ObjectMaker {
  const entries = keys.map((key, index) => `${literal(key)}: values[${index}]`);
  return new Function('values', `return { ${entries.join(', ')} };`) as ObjectMaker;
}

/** Without brackets, which take time, `__proto__` would be no key but the prototype. */
function literal(key: string): string {
  return key === '__proto__' ? `['__proto__']` : JSON.stringify(key);
}

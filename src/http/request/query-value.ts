/** A query parameter; the first occurrence counts (LIST-5). */
export function queryValue(query: unknown, name: string): string | undefined {
  const value = (query as Record<string, string | string[] | undefined>)[name];
  return Array.isArray(value) ? value[0] : value;
}

/** All query parameters with one value each (LIST-5). */
export function queryValues(query: unknown): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(query as Record<string, string | string[]>)) {
    values[name] = Array.isArray(value) ? (value[0] ?? '') : value;
  }
  return values;
}

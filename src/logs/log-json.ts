/** The JSON of what an entry says. Extensions attach anything; what cannot be written must not hold up the others. */
export function toJson(data: unknown): string {
  try {
    return JSON.stringify(data) ?? '{}';
  } catch {
    return toJsonWithBigInts(data);
  }
}

/** A replacer costs several times as much as what it is applied to, so it comes in only where it is needed. */
function toJsonWithBigInts(data: unknown): string {
  try {
    return JSON.stringify(data, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ?? '{}';
  } catch (error) {
    return JSON.stringify({ unprintable: String(error) });
  }
}

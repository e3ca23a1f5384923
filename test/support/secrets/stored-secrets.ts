/** The rows of a reading statement. */
export type ReadRows = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/**
 * What a database holds that nobody may ever see: token keys of all accounts, token and client secrets of all
 * collections, passwords of the settings. Encrypted settings hide theirs from it too.
 */
export async function storedSecrets(read: ReadRows): Promise<string[]> {
  const collections = await read(`SELECT "name", "options" FROM "_collections" WHERE "type" = 'auth'`);
  const settings = await read(`SELECT CAST("value" AS TEXT) AS "value" FROM "_params"`);
  const found = [...collections.map(({ options }) => options), ...settings.map(({ value }) => value)];
  const keys = await Promise.all(collections.map(({ name }) => read(`SELECT "tokenKey" FROM "${name as string}"`)));
  return [...found.flatMap(secretsInJson), ...keys.flat().map(({ tokenKey }) => tokenKey as string)];
}

/** The values of the keys `secret`, `clientSecret` and `password` in a JSON text, at any depth. */
export function secretsInJson(text: unknown): string[] {
  if (typeof text !== 'string' || !text.startsWith('{')) return [];
  return secretsIn(JSON.parse(text));
}

function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' && ['secret', 'clientSecret', 'password'].includes(key) ? [inner] : secretsIn(inner),
  );
}

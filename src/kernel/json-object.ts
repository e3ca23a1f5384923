/** What a JSON object is before anything is known of its values. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Tells an object from everything else that JSON can be. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

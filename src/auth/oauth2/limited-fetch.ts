import { isJsonObject, type JsonObject } from '../../kernel/json-object.js';

/** Longest answer of a provider that is read (AUTH-1506). */
const MAX_REPLY_BYTES = 1024 * 1024;

/** An answer read to its end. */
export interface LimitedReply {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Sends a request and reads the whole answer. Throws past 1 MiB, on network failures and when `signal` fires. */
export async function limitedFetch(url: string, init: RequestInit & { signal: AbortSignal }): Promise<LimitedReply> {
  const response = await fetch(url, init);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).byteLength;
    if (size > MAX_REPLY_BYTES) throw new Error(`The answer of ${new URL(url).host} is longer than 1 MiB.`);
    chunks.push(chunk as Uint8Array);
  }
  return {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    text: Buffer.concat(chunks).toString('utf8'),
  };
}

/** The text as a JSON object. Throws when it is anything else. */
export function parseJsonObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error('The answer is not a JSON object.');
  return value;
}

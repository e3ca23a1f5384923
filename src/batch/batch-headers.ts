import { ruleHeaders } from '../http/request/http-request-info.js';

/** Identity and transport are those of the batch itself, whatever an item says (BAT-9). As rules write them. */
const IGNORED: readonly string[] = [
  'authorization',
  'connection',
  'content_length',
  'content_type',
  'cookie',
  'host',
  'transfer_encoding',
];

type Headers = Readonly<Record<string, string>>;

/** What rules see as the headers of an item: its own, laid over those of the batch. */
export function itemHeaders(batch: Headers, item: Headers, trustedProxyHeaders: readonly string[]): Headers {
  if (Object.keys(item).length === 0) return batch;
  const own = ruleHeaders(item);
  const trusted = trustedProxyHeaders.map((name) => name.toLowerCase().replaceAll('-', '_'));
  for (const name of [...IGNORED, ...trusted]) delete own[name];
  return { ...batch, ...own };
}

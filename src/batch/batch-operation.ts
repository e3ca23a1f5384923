import { BadRequestError } from '../kernel/errors/bad-request.error.js';

export type BatchAction = 'create' | 'update' | 'upsert' | 'delete';

/** What a request of a batch does to a record. */
export interface BatchOperation {
  readonly action: BatchAction;
  /** Id or name, as it stands in the URL. */
  readonly collection: string;
  /** Only of an update and a delete. */
  readonly id: string;
  /** The parameters of the request's own URL, the first of each name (LIST-5). */
  readonly query: Readonly<Record<string, string>>;
}

const RECORDS = /^\/api\/collections\/([^/?]+)\/records(?:\?(.*))?$/s;
const ONE_RECORD = /^\/api\/collections\/([^/?]+)\/records\/([^/?]+)(?:\?(.*))?$/s;

/** Method and URL of everything a batch can do (BAT-5). */
const ROUTES: ReadonlyMap<string, { readonly action: BatchAction; readonly form: RegExp }> = new Map([
  ['POST', { action: 'create', form: RECORDS }],
  ['PATCH', { action: 'update', form: ONE_RECORD }],
  ['PUT', { action: 'upsert', form: RECORDS }],
  ['DELETE', { action: 'delete', form: ONE_RECORD }],
]);
const NO_QUERY: Readonly<Record<string, string>> = {};

/** Throws a BadRequestError for every other route, `/api/batch` and absolute URLs included (BAT-6, BAT-14). */
export function parseBatchOperation({
  method,
  url,
}: {
  readonly method: string;
  readonly url: string;
}): BatchOperation {
  const route = ROUTES.get(method);
  const match = route?.form.exec(url);
  if (!match) throw new BadRequestError('A batch can only create, update, upsert and delete records.');
  const { action, form } = route!;
  const [, collection, ...rest] = match;
  const id = form === ONE_RECORD ? rest.shift()! : '';
  return { action, collection: decode(collection!), id: decode(id), query: parseQuery(rest[0]) };
}

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new BadRequestError('The URL is not encoded correctly.', {}, { cause });
  }
}

function parseQuery(text: string | undefined): Readonly<Record<string, string>> {
  if (!text) return NO_QUERY;
  return Object.fromEntries([...new URLSearchParams(text)].toReversed());
}

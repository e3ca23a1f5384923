import { BadRequestError } from '../kernel/errors/bad-request.error.js';

export type BatchAction = 'create' | 'update' | 'upsert' | 'delete';

/** What a request of a batch does to a record. */
export interface BatchOperation {
  readonly action: BatchAction;
  /** Id or name, as it stands in the URL. */
  readonly collection: string;
  /** Only of an update and a delete. */
  readonly id: string;
  /** As sent, without the query. */
  readonly path: string;
  /** The parameters of the request's own URL, the first of each name (LIST-5). */
  readonly query: Readonly<Record<string, string>>;
}

/** Method and URL of everything a batch can do (BAT-5). */
const ROUTES: Readonly<Record<BatchAction, RegExp>> = {
  create: /^POST (\/api\/collections\/([^/?]+)\/records)(?:\?(.*))?$/s,
  update: /^PATCH (\/api\/collections\/([^/?]+)\/records\/([^/?]+))(?:\?(.*))?$/s,
  upsert: /^PUT (\/api\/collections\/([^/?]+)\/records)(?:\?(.*))?$/s,
  delete: /^DELETE (\/api\/collections\/([^/?]+)\/records\/([^/?]+))(?:\?(.*))?$/s,
};

/** Throws a BadRequestError for every other route, `/api/batch` and absolute URLs included (BAT-6, BAT-14). */
export function parseBatchOperation({
  method,
  url,
}: {
  readonly method: string;
  readonly url: string;
}): BatchOperation {
  for (const action of Object.keys(ROUTES) as BatchAction[]) {
    const match = ROUTES[action].exec(`${method} ${url}`);
    if (!match) continue;
    const [, path, collection, ...rest] = match;
    const id = action === 'update' || action === 'delete' ? rest.shift()! : '';
    return { action, collection: decode(collection!), id: decode(id), path: path!, query: parseQuery(rest[0] ?? '') };
  }
  throw new BadRequestError('A batch can only create, update, upsert and delete records.');
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new BadRequestError('The URL is not encoded correctly.', {}, { cause });
  }
}

function parseQuery(text: string): Record<string, string> {
  return Object.fromEntries([...new URLSearchParams(text)].toReversed());
}

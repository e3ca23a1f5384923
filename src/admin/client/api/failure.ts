import { ClientResponseError } from 'pocketbase';

/** The `data` of an error answer: messages at the leaves, nested like the object that was sent. */
export interface ErrorTree {
  [key: string]: ErrorTree | string | undefined;
}

/** Whether a part of the page itself could not be fetched; every browser says so in words of its own, Vite too. */
export function isCodeFailure(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|module script failed|preload CSS/i.test(error.message);
}

const UNREACHABLE = 'The server could not be reached. Check the connection and try again.';

/** What a proxy before the server says in words that are not for people. */
function proxyMessage(status: number): string {
  if (status === 413) return 'This is more than may be sent at once (status 413).';
  if (status >= 502 && status <= 504) return `The server does not answer at the moment (status ${status}). Try again.`;
  return `The server answered with status ${status}.`;
}

/** One sentence for people about anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof ClientResponseError) {
    if (error.status === 0) return UNREACHABLE;
    // Read after the sign-in that it led to.
    if (error.status === 401) return 'Your session had ended. Try again.';
    if (error.status === 429) return 'Too many attempts. Wait a moment and try again.';
    return error.response?.message || proxyMessage(error.status);
  }
  // Each browser has words of its own for a request that found nobody.
  if (isCodeFailure(error) || (error instanceof TypeError && /fetch|NetworkError|Load failed/i.test(error.message)))
    return UNREACHABLE;
  // A mistake of our own, told in words that only its author understands.
  if (error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError)
    return 'Something went wrong in this page. Loading it again may help.';
  return error instanceof Error ? error.message : String(error);
}

/** Whether the session had ended, which the page shows as a whole (UI-2). */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ClientResponseError && error.status === 401;
}

/** Whether what was asked for does not exist, or no longer, so that asking again is of no use. */
export function isMissing(error: unknown): boolean {
  return error instanceof ClientResponseError && error.status === 404;
}

/** What is wrong with the filter that was sent; undefined when something else failed, which trying again may help. */
export function filterErrorOf(error: unknown): string | undefined {
  return error instanceof ClientResponseError && error.status === 400 ? messageOf(error) : undefined;
}

/** The field errors of a failed request; an empty object when there are none. */
export function errorTreeOf(error: unknown): ErrorTree {
  return error instanceof ClientResponseError ? ((error.response?.data as ErrorTree | undefined) ?? {}) : {};
}

/** The message at a path such as `fields.2.name`, or undefined. */
export function errorAt(tree: ErrorTree, path: string): string | undefined {
  let node: ErrorTree | string | undefined = tree;
  for (const part of path.split('.')) {
    if (typeof node !== 'object' || node === null) return undefined;
    node = node[part];
  }
  if (typeof node === 'object' && typeof node.message === 'string') return node.message;
  return undefined;
}

/** Whether anything at or below the path failed. */
export function hasErrorUnder(tree: ErrorTree, path: string): boolean {
  let node: ErrorTree | string | undefined = tree;
  for (const part of path.split('.')) {
    if (typeof node !== 'object' || node === null) return false;
    node = node[part];
  }
  return node !== undefined && (typeof node !== 'object' || Object.keys(node).length > 0);
}

/** The tree without what stands at the path; the same object when nothing stands there. */
export function withoutError(tree: ErrorTree, path: string): ErrorTree {
  const [head, ...rest] = path.split('.') as [string, ...string[]];
  if (!(head in tree)) return tree;
  const below = tree[head];
  const { [head]: _gone, ...others } = tree;
  if (!rest.length || typeof below !== 'object') return others;
  const remaining = withoutError(below, rest.join('.'));
  return Object.keys(remaining).length ? { ...others, [head]: remaining } : others;
}

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

/** One sentence for people about anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof ClientResponseError) {
    if (error.status === 0) return UNREACHABLE;
    if (error.status === 429) return 'Too many attempts. Wait a moment and try again.';
    return error.response?.message || `The server answered with status ${error.status}.`;
  }
  if (isCodeFailure(error)) return UNREACHABLE;
  return error instanceof Error ? error.message : String(error);
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

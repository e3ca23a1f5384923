import type { Span } from '../filter/filter-node.js';
import { FilterError } from '../filter/filter.error.js';

const MODIFIERS: ReadonlySet<string> = new Set(['isset', 'changed', 'length', 'each', 'lower']);

export type Modifier = '' | 'isset' | 'changed' | 'length' | 'each' | 'lower';

/** An identifier taken apart: what stands between its dots, and the modifier behind the last of them. */
export interface Path {
  readonly segments: readonly string[];
  readonly modifier: Modifier;
  readonly span: Span;
}

/** Takes an identifier apart. Throws a FilterError for empty segments and for what is no modifier (REF-8). */
export function parsePath(name: string, span: Span): Path {
  const colon = name.startsWith('@collection.') ? afterAlias(name) : name.indexOf(':');
  const modifier = colon === -1 ? '' : name.slice(colon + 1);
  const segments = (colon === -1 ? name : name.slice(0, colon)).split('.');
  if (segments.includes('')) throw new FilterError('A name is missing between two dots', span);
  if (colon !== -1 && !MODIFIERS.has(modifier)) throw new FilterError(`Unknown modifier :${modifier}`, span);
  return { segments, modifier: modifier as Modifier, span };
}

/** The path without its first segments. */
export function dropSegments(path: Path, count: number): Path {
  return { ...path, segments: path.segments.slice(count) };
}

/** In `@collection.name:alias.field:modifier` the alias is no modifier. */
function afterAlias(name: string): number {
  const end = name.indexOf('.', '@collection.'.length);
  return end === -1 ? -1 : name.indexOf(':', end);
}

const MAX_INDEX = 2 ** 31 - 1;

/** Segments inside a JSON value as SQLite's path: digits are indexes of arrays, everything else is a key. */
export function jsonPath(segments: readonly string[]): string {
  return segments.reduce((path, segment) => path + (/^\d+$/.test(segment) ? index(segment) : `."${segment}"`), '$');
}

function index(digits: string): string {
  return `[${Math.min(Number(digits), MAX_INDEX)}]`;
}

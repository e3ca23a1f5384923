import { BadRequestError } from '../errors/bad-request.error.js';

const DEFAULT_PER_PAGE = 30;
export const MAX_PER_PAGE = 1000;
const TRUE_WORDS: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE_WORDS: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** Which part of a list is asked for. */
export interface Page {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  /** Leave the total uncounted. */
  readonly skipTotal: boolean;
}

/** A page of a list as it is answered (LIST-1). */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly page: number;
  readonly perPage: number;
  readonly totalItems: number;
  readonly totalPages: number;
}

/** The page query parameters ask for; a missing or empty one means its default. Throws a BadRequestError. */
export function parsePage(query: {
  readonly page?: string;
  readonly perPage?: string;
  readonly skipTotal?: string;
}): Page {
  return toPage({
    page: parseInteger('page', query.page),
    perPage: parseInteger('perPage', query.perPage),
    skipTotal: parseBoolean('skipTotal', query.skipTotal),
  });
}

/** The page that code asks for, its values limited. Throws a BadRequestError for what is no page number. */
export function toPage({ page = 1, perPage = DEFAULT_PER_PAGE, skipTotal = false }: Partial<Page>): Page {
  if (page > Number.MAX_SAFE_INTEGER || !isInteger(page)) throw invalid('page');
  if (!isInteger(perPage)) throw invalid('perPage');
  return {
    page: Math.max(page, 1),
    perPage: perPage <= 0 ? DEFAULT_PER_PAGE : Math.min(perPage, MAX_PER_PAGE),
    skipTotal,
  };
}

/** How many items come before the page. At most the largest safe integer, so that a database takes it as an offset. */
export function pageOffset({ page, perPage }: Page): number {
  return Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
}

/** The answer for a page. Without `totalItems` the totals are -1. */
export function toListPage<Item>({ page, perPage }: Page, items: readonly Item[], totalItems?: number): ListPage<Item> {
  if (totalItems === undefined) return { items, page, perPage, totalItems: -1, totalPages: -1 };
  return { items, page, perPage, totalItems, totalPages: Math.ceil(totalItems / perPage) };
}

/** A number too large for a double is an integer too, so Infinity counts as one. */
function isInteger(value: number): boolean {
  return Number.isInteger(value) || Math.abs(value) === Infinity;
}

function parseInteger(name: string, text = ''): number | undefined {
  if (text === '') return undefined;
  if (!/^[-+]?[0-9]+$/.test(text)) throw invalid(name);
  return Number(text);
}

function parseBoolean(name: string, text = ''): boolean | undefined {
  if (text === '') return undefined;
  if (!TRUE_WORDS.has(text) && !FALSE_WORDS.has(text)) throw invalid(name);
  return TRUE_WORDS.has(text);
}

function invalid(parameter: string): BadRequestError {
  return new BadRequestError(`Invalid ${parameter}.`);
}

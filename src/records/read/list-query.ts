import { type ExpandStep, parseExpand } from '../../kernel/query/expand.js';
import { type FieldPicker, parseFields } from '../../kernel/query/fields.js';
import { type Page, parsePage } from '../../kernel/query/page.js';

/** What a record endpoint's query string says about the answer. */
export interface ShowQuery {
  readonly expand: readonly ExpandStep[];
  /** Undefined when everything is shown. */
  readonly picker: FieldPicker | undefined;
}

/** The query string of a list as values. */
export interface ListQuery extends ShowQuery {
  readonly page: Page;
  /** As sent; '' is none. */
  readonly filter: string;
  readonly sort: string;
}

/** Reads `expand` and `fields`. Throws 400 when `fields` is malformed (REC-12). */
export function parseShowQuery({ expand, fields }: Readonly<Record<string, string>>): ShowQuery {
  return { expand: expand ? parseExpand(expand) : [], picker: fields ? parseFields(fields) : undefined };
}

/** Reads everything a list takes. Throws 400 for a malformed number or flag (chapter 02 §6). */
export function parseListQuery(query: Readonly<Record<string, string>>): ListQuery {
  return {
    page: parsePage(query),
    filter: query['filter'] ?? '',
    sort: query['sort'] ?? '',
    ...parseShowQuery(query),
  };
}

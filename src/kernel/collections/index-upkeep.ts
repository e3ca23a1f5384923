import type { FieldDefinition } from '../fields/field-definition.js';
import type { CollectionData } from './collection.js';
import { type IndexColumn, parseIndex, printIndex, uniqueColumns } from './index-definition.js';
import { isSymbol, quoteName, quoteText, type SqlToken, tokenizeSql } from './sql-tokens.js';

/** Old names in lower case, and what the fields are called now. */
export type FieldRenames = ReadonlyMap<string, string>;

/** The fields that have another name now. */
export function fieldRenames(before: readonly FieldDefinition[], after: readonly FieldDefinition[]): FieldRenames {
  const names = new Map(after.map((field) => [field.id, field.name]));
  const renamed = before.filter((field) => names.has(field.id) && names.get(field.id) !== field.name);
  return new Map(renamed.map((field) => [field.name.toLowerCase(), names.get(field.id)!]));
}

/** An index after fields were renamed (COL-117): its columns, its expressions and its WHERE follow. */
export function followFieldRenames(sql: string, renames: FieldRenames): string {
  const index = parseIndex(sql);
  if (!index || renames.size === 0) return sql;
  const columns = index.columns.map((column) => renamedColumn(column, renames));
  const where = renamedExpression(index.where, renames);
  const changed = where !== index.where || columns.some((column, at) => column.name !== index.columns[at]!.name);
  return changed ? printIndex({ ...index, columns, where }) : sql;
}

/**
 * The canonical text of an index for a table with these columns. In expressions, what stands in double quotes and is
 * no column is a text: definitions written elsewhere hold `WHERE "state" = "open"`.
 */
export function executableIndex(sql: string, columnNames: readonly string[]): string {
  const index = parseIndex(sql)!;
  const known = new Set(columnNames.map((name) => name.toLowerCase()));
  const rewrite = (text: string): string =>
    rewrittenNames(text, (token) => {
      if (token.kind !== 'quoted' || text[token.start] !== '"') return undefined;
      return known.has(token.value.toLowerCase()) ? quoteName(token.value) : quoteText(token.value);
    });
  const columns = index.columns.map((column) =>
    column.expression ? { ...column, name: rewrite(column.name) } : column,
  );
  return printIndex({ ...index, columns, where: rewrite(index.where) });
}

/** The unique indexes an auth collection needs and does not have (COL-123). */
export function requiredIndexes(collection: CollectionData, indexes: readonly string[]): string[] {
  const unique = new Set(uniqueColumns(indexes).map(({ name }) => name.toLowerCase()));
  const missing = REQUIRED_UNIQUE_FIELDS.filter((column) => !unique.has(column.toLowerCase()));
  return missing.map((column) => requiredIndex(column, collection.name, collection.id));
}

/** The two unique indexes every auth collection has (COL-123). */
export function requiredIndexStatements(table: string, suffix: string): string[] {
  return REQUIRED_UNIQUE_FIELDS.map((column) => requiredIndex(column, table, suffix));
}

/** Fields of an auth collection that need a unique index of their own. */
const REQUIRED_UNIQUE_FIELDS: readonly string[] = ['tokenKey', 'email'];

const MAX_INDEX_NAME = 64;

function requiredIndex(column: string, table: string, suffix: string): string {
  return printIndex({
    unique: true,
    name: `idx_${column}_${suffix}`.slice(0, MAX_INDEX_NAME),
    table,
    columns: [{ name: column, expression: false, collate: '', sort: '' }],
    where: column === 'email' ? "`email` != ''" : '',
  });
}

function renamedColumn(column: IndexColumn, renames: FieldRenames): IndexColumn {
  if (column.expression) return { ...column, name: renamedExpression(column.name, renames) };
  return { ...column, name: renames.get(column.name.toLowerCase()) ?? column.name };
}

function renamedExpression(sql: string, renames: FieldRenames): string {
  return rewrittenNames(sql, (token) => {
    const name = renames.get(token.value.toLowerCase());
    return name === undefined ? undefined : quoteName(name);
  });
}

/** The text with some of its names replaced; function names are none. */
function rewrittenNames(sql: string, replacement: (name: SqlToken) => string | undefined): string {
  const tokens = tokenizeSql(sql);
  let result = '';
  let position = 0;
  for (const [at, token] of tokens.entries()) {
    const isName = (token.kind === 'word' && !isSymbol(tokens[at + 1], '(')) || token.kind === 'quoted';
    const text = isName ? replacement(token) : undefined;
    if (text === undefined) continue;
    result += sql.slice(position, token.start) + text;
    position = token.end;
  }
  return result + sql.slice(position);
}

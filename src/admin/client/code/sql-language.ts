import { SQLite, sql } from '@codemirror/lang-sql';
import type { Extension } from '@codemirror/state';

/** Columns by table, for completion. */
export type SqlSchema = Readonly<Record<string, readonly string[]>>;

/** SQL as SQLite speaks it, with the tables and columns of this Roost. */
export function sqlLanguage(schema: SqlSchema): Extension {
  return sql({
    dialect: SQLite,
    schema: Object.fromEntries(Object.entries(schema).map(([table, columns]) => [table, [...columns]])),
    upperCaseKeywords: true,
  });
}

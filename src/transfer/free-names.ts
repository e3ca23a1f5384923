import type { Database } from '../database/database.js';
import { SchemaSync } from '../database/schema-sync.js';
import { column, table } from '../kernel/sql/sql.js';
import { DEFINITIONS } from './copied-table.js';
import { CopyError } from './copy.error.js';

/**
 * Throws a CopyError for collections that are called like something the other database has, of its own as well: they
 * would be made, and whatever is read or written would be that. Collections of the target are replaced.
 */
export async function requireFreeNames(source: Database, target: Database): Promise<void> {
  const replaced = new Set((await collectionNames(target)).map((name) => name.toLowerCase()));
  const taken = await new SchemaSync(target).takenNames();
  const refused = (await collectionNames(source)).filter((name) => {
    const small = name.toLowerCase();
    return taken.has(small) && !replaced.has(small);
  });
  if (refused.length === 0) return;
  throw new CopyError(
    `The other database has something of its own with the name of a collection, which has to be renamed first: ${refused.join(', ')}.`,
  );
}

async function collectionNames(database: Database): Promise<string[]> {
  const { name } = DEFINITIONS;
  const columns = [{ value: column(name, 'name'), as: 'name' }];
  const rows = await database.all<{ name: string }>({ kind: 'select', columns, from: table(name) });
  return rows.map((row) => row.name);
}

import { Database } from '../database/database.js';
import { DEFINITIONS } from './copied-table.js';
import { TableRows } from './table-rows.js';

/** Collections were changed during the copy. */
class DefinitionsChanged extends Error {}

/**
 * Detects changes of definitions since a snapshot was taken, for databases whose snapshots do not include changes of
 * tables: what was read after such a change may be wrong.
 */
export class DefinitionsWatch {
  private before: string | undefined;

  constructor(private readonly database: Database) {}

  /** To be called first in the snapshot. */
  async begin(): Promise<void> {
    this.before = await this.definitions();
  }

  /** The result of the work; undefined when definitions were changed meanwhile, also when it failed. */
  async unlessChanged<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DefinitionsChanged || (await this.haveChanged())) return undefined;
      throw error;
    }
  }

  async requireUnchanged(): Promise<void> {
    if (await this.haveChanged()) throw new DefinitionsChanged();
  }

  private async haveChanged(): Promise<boolean> {
    if (this.database.dialect.snapshotsHaveTables || this.before === undefined) return false;
    return this.database.runOutside(async () => (await this.definitions()) !== this.before);
  }

  private async definitions(): Promise<string> {
    return (await new TableRows(this.database, DEFINITIONS).digest()).sum();
  }
}

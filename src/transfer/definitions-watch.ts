import { Database } from '../database/database.js';
import { DEFINITIONS } from './copied-table.js';
import { RowsDigest } from './copied-values.js';
import { TableRows } from './table-rows.js';

/** A change of collections has come in between. */
class DefinitionsChanged extends Error {}

/**
 * Finds out whether definitions have changed since a snapshot was taken, where a snapshot has rows as they were but tables
 * as they are: what was read of them since then may be wrong.
 */
export class DefinitionsWatch {
  private before: string | undefined;

  constructor(private readonly database: Database) {}

  /** To be called first in the snapshot. */
  async begin(): Promise<void> {
    this.before = await this.definitions();
  }

  /** Gives undefined in the place of a result, or of a failure, of which the definitions were others in the end. */
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
    return this.database.outside(async () => (await this.definitions()) !== this.before);
  }

  private async definitions(): Promise<string> {
    const digest = new RowsDigest(DEFINITIONS);
    for await (const rows of new TableRows(this.database, DEFINITIONS).pages()) digest.add(rows);
    return digest.sum();
  }
}

import { Injectable } from '@nestjs/common';
import { CollectionRows } from '../collections/collection-rows.js';
import { Database } from '../database/database.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { CopyError } from './copy.error.js';
import { CopyRun, type CopyOptions, type CopyReport } from './copy-run.js';
import { DefinitionsWatch } from './definitions-watch.js';
import { requireFreeNames } from './free-names.js';
import { LOGS } from './copied-table.js';
import { RowsDigest } from './copied-values.js';
import { TableRows } from './table-rows.js';

/** How often a copy is repeated when collections were changed meanwhile. */
const MOST_ATTEMPTS = 4;

/** What became of the log. */
export interface CopiedLogs {
  readonly count: number;
  /** Entries that the other database does not take. */
  readonly refused: number;
}

/** Replaces the content of one database by that of another (SCALE-14). Both stay in use meanwhile. */
@Injectable()
export class DatabaseCopy {
  constructor(
    private readonly definitions: CollectionRows,
    private readonly types: FieldTypeRegistry,
  ) {}

  /**
   * Copies collections with their tables, indexes and views, records, and what Roost keeps beside them, as they are at
   * one moment, in one transaction of the target: all of it or nothing. Throws a CopyError that says why it cannot.
   */
  async run(source: Database, target: Database, options: CopyOptions = {}): Promise<CopyReport> {
    const watch = new DefinitionsWatch(source);
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const report = await watch.unlessChanged(() =>
        source.upkeep.inSnapshot(async () => {
          await watch.begin();
          return this.copy(source, target, watch, options);
        }),
      );
      if (report) return report;
    }
    throw new CopyError('Collections were changed again and again while they were copied.');
  }

  /** Copies the log. What the other database does not take is left out. */
  async runLogs(
    source: Database,
    target: Database,
    { offThread }: Pick<CopyOptions, 'offThread'> = {},
  ): Promise<CopiedLogs> {
    return source.upkeep.inSnapshot(() =>
      target.transaction(
        async () => {
          const [from, to] = [new TableRows(source, LOGS), new TableRows(target, LOGS)];
          await to.clear();
          const original = new RowsDigest(LOGS);
          let refused = 0;
          for await (const rows of from.pages()) {
            const added = await to.addAllowed(rows);
            refused += rows.length - added.length;
            original.add(added);
          }
          const copied = await to.digest();
          if (original.sum() !== copied.sum()) throw new CopyError('The log did not arrive as it was.');
          return { count: copied.count, refused };
        },
        { offThread },
      ),
    );
  }

  private copy(source: Database, target: Database, watch: DefinitionsWatch, options: CopyOptions): Promise<CopyReport> {
    return target.transaction(
      async () => {
        await requireFreeNames(source, target);
        const report = await new CopyRun(source, target, this.definitions, this.types, options).run();
        await watch.requireUnchanged();
        await options.beforeCommit?.();
        return report;
      },
      { exclusive: true, offThread: options.offThread },
    );
  }
}

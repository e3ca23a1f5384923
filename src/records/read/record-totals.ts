import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CollectionStore } from '../../collections/collection-store.js';
import { Database } from '../../database/database.js';
import { type BoundSql, statementKey } from '../../kernel/sql/bound-sql.js';

/** Totals remembered at most, and the characters of their statements. */
const REMEMBERED = 5_000;
const REMEMBERED_CHARACTERS = 5_000_000;

interface Total {
  readonly version: string;
  readonly count: number;
}

/** How many records a list has: counted once, known until a table that the count reads may have changed. */
@Injectable()
export class RecordTotals {
  private readonly totals = new LRUCache<string, Total>({
    max: REMEMBERED,
    maxSize: REMEMBERED_CHARACTERS,
    sizeCalculation: (_, key) => key.length,
  });

  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
  ) {}

  async count(statement: BoundSql): Promise<number> {
    if (this.database.inTransaction || this.database.mayBeStale) return this.ask(statement);
    const { catalog } = this.store;
    if (catalog.readsVolatileView(statement.tables)) return this.ask(statement);
    const key = statementKey(statement);
    // A view may read any table, so a total over one is valid until the next commit.
    const version = this.database.changes.version(catalog.readsView(statement.tables) ? [] : statement.tables);
    const known = this.totals.get(key);
    if (known?.version === version) return known.count;
    const count = await this.ask(statement);
    // The version was taken before counting, so that a write in between makes this total outdated.
    this.totals.set(key, { version, count });
    return count;
  }

  private async ask(statement: BoundSql): Promise<number> {
    return (await this.database.get<{ total: number }>(statement))!.total;
  }
}

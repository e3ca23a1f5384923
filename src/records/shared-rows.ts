import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { RecordRow } from '../kernel/records/record-model.js';
import type { BoundSql } from '../kernel/sql/bound-sql.js';
import { RestlessViews } from './restless-views.js';

/** Rows that many ask for in the same words, such as a page of a list: read once between two commits. */
@Injectable()
export class SharedRows {
  constructor(
    private readonly database: Database,
    private readonly restlessViews: RestlessViews,
  ) {}

  /** The rows of a reading statement; nobody may change them. */
  of(statement: BoundSql): MaybePromise<readonly RecordRow[]> {
    if (this.restlessViews.mayChange(statement)) return this.database.reads.rows<RecordRow>(statement);
    return this.database.reads.cachedRows<RecordRow>(statement);
  }
}

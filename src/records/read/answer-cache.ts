import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CollectionStore } from '../../collections/collection-store.js';
import { Database } from '../../database/database.js';
import { changesByItself } from '../../kernel/collections/view-query.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { RecordRow } from '../../kernel/records/record-model.js';
import { type BoundSql, statementKey } from '../../kernel/sql/bound-sql.js';

/** Most bytes that are kept of rows and of the text made of them, estimated at two bytes for each character. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** One answer may take no more than this part of it. */
const LARGEST = KEPT_BYTES / 8;
const REMEMBERED_STATEMENTS = 2000;
/** So often in a row the data may have changed before it is looked for less often, and by how much less at most. */
const FEW_MISSES = 3;
const MOST_PASSES = 50;
const BYTES_PER_VALUE = 16;
const BYTES_PER_CHARACTER = 2;

type Rows = readonly RecordRow[];

/** What a statement with its values gave in one state of the database. */
interface Answer {
  /** Undefined where nobody has asked for it yet. */
  readonly version: number | string | undefined;
  /** Absent until the statement was run twice. */
  rows?: MaybePromise<Rows>;
  /** How often in a row the data had changed when it was looked for. */
  misses?: number;
  /** So often it is not looked whether the data has changed. */
  passes?: number;
}

/** What is kept of rows, under the key of their statement. */
interface Kept {
  readonly key: string;
  readonly size: number;
  answer: Answer;
  /** The latest text that was made of them. */
  text?: { readonly audience: string; readonly catalog: object; readonly json: string };
}

/** The cached JSON of an answer, when there is one, and a function that caches what is written now. */
export interface SharedText {
  readonly json: string | undefined;
  keep(json: string): void;
}

/**
 * Caches the answers of statements that are repeated, by statement and version of the data: the rows, and the text made
 * of them. Rows are kept from the second run on, because most statements are never repeated and their rows would only
 * cost garbage collection. Requests for a statement that is running wait for that run.
 */
@Injectable()
export class AnswerCache {
  private readonly answers = new LRUCache<string, Answer>({
    max: REMEMBERED_STATEMENTS,
    maxSize: KEPT_BYTES,
    maxEntrySize: LARGEST,
  });
  private readonly kept = new WeakMap<Rows, Kept>();

  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
  ) {}

  /** The rows of a reading statement. They are shared, so they must not be changed. */
  rows(statement: BoundSql): MaybePromise<Rows> {
    if (this.store.catalog.readsVolatileView(statement.tables)) return this.run(statement);
    const { version } = this.database.reads;
    const key = statementKey(statement);
    if (version === undefined)
      return this.database.inTransaction ? this.run(statement) : this.rowsByState(statement, key);
    const known = this.answers.get(key);
    if (known?.version !== version) {
      this.answers.set(key, { version }, { size: key.length });
      return this.run(statement);
    }
    if (known.rows !== undefined) return known.rows;
    if (changesByItself(statement.sql)) return this.run(statement);
    const rows = this.run(statement);
    if (rows instanceof Promise) this.share(key, known, rows);
    else this.keep(key, known, rows);
    return rows;
  }

  /**
   * The text cached for these rows and an audience, whose name contains whatever else the text depends on. Undefined
   * when the rows are not cached, or the answer is for this caller alone.
   */
  text(rows: Rows, nameAudience: () => string | undefined): SharedText | undefined {
    const kept = this.kept.get(rows);
    const audience = kept && nameAudience();
    if (audience === undefined) return undefined;
    const { catalog } = this.store;
    const isSame = kept!.text?.audience === audience && kept!.text.catalog === catalog;
    return {
      json: isSame ? kept!.text!.json : undefined,
      keep: (json) => {
        const hasRoom = this.reserve(kept!, kept!.size + BYTES_PER_CHARACTER * json.length);
        if (hasRoom) kept!.text = { audience, catalog, json };
      },
    };
  }

  /**
   * Where the version has to be asked for, which costs less than most statements but is not for nothing: only for one
   * that was run before, and not each time for one whose data changes all the time.
   */
  private rowsByState(statement: BoundSql, key: string): MaybePromise<Rows> {
    const known = this.answers.get(key);
    if (!known) {
      this.answers.set(key, { version: undefined }, { size: key.length });
      return this.run(statement);
    }
    if (changesByItself(statement.sql)) return this.run(statement);
    if (known.passes) {
      known.passes--;
      return this.run(statement);
    }
    return this.database.reads.state()?.then((state) => this.rowsOf(state, statement, key)) ?? this.run(statement);
  }

  private rowsOf(state: string, statement: BoundSql, key: string): MaybePromise<Rows> {
    const known = this.answers.peek(key);
    if (known?.version === state && known.rows !== undefined) {
      known.misses = 0;
      return known.rows;
    }
    const misses = known?.rows === undefined ? 0 : (known.misses ?? 0) + 1;
    const answer: Answer = { version: state, misses, passes: misses < FEW_MISSES ? 0 : Math.min(misses, MOST_PASSES) };
    this.answers.set(key, answer, { size: key.length });
    const rows = this.run(statement);
    if (rows instanceof Promise) this.share(key, answer, rows);
    return rows;
  }

  private run(statement: BoundSql): MaybePromise<Rows> {
    return this.database.reads.rows<RecordRow>(statement);
  }

  /** Lets other requests wait for this run, which sees what was committed when it began or later. */
  private share(key: string, answer: Answer, running: Promise<Rows>): void {
    answer.rows = running;
    const isCurrent = () => this.answers.peek(key) === answer;
    running.then(
      (rows) => void (isCurrent() && this.keep(key, answer, rows)),
      () => void (isCurrent() && this.answers.delete(key)),
    );
  }

  private keep(key: string, of: Answer, rows: Rows): void {
    const answer: Answer = { ...of, rows };
    const size = key.length + sizeOf(rows);
    this.answers.set(key, answer, { size });
    this.kept.set(rows, { key, size, answer });
  }

  /** Whether these rows are still kept and may take so many bytes from now on. */
  private reserve(kept: Kept, bytes: number): boolean {
    if (bytes > LARGEST || this.answers.peek(kept.key) !== kept.answer) return false;
    // The cache recalculates a size only when it is given another value.
    kept.answer = { ...kept.answer };
    this.answers.set(kept.key, kept.answer, { size: bytes });
    return true;
  }
}

function sizeOf(rows: Rows): number {
  let size = 0;
  for (const row of rows) {
    for (const name in row) {
      const value = row[name];
      size += BYTES_PER_VALUE + (typeof value === 'string' ? BYTES_PER_CHARACTER * value.length : 0);
    }
  }
  return size;
}

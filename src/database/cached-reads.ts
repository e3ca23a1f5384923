import { LRUCache } from 'lru-cache';
import { changesByItself } from '../kernel/collections/view-query.js';
import type { MaybePromise } from '../kernel/maybe-promise.js';
import { statementKey } from '../kernel/sql/bound-sql.js';
import type { CompiledSql } from './compiled-sql.js';

/** Bytes of rows, and of what was made of them, kept at most, roughly: as if no character were Latin. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** One answer may take no more than this part of it. */
const LARGEST = KEPT_BYTES / 8;
const REMEMBERED_STATEMENTS = 2000;
const BYTES_PER_VALUE = 16;
const BYTES_PER_CHARACTER = 2;

type Rows = readonly Readonly<Record<string, unknown>>[];

/** A statement with its values, as of one state of the database. */
interface Question {
  readonly version: number;
  /** Absent while it was asked only once. */
  answer?: MaybePromise<Rows>;
}

/** Where rows are kept, and how much room they take. */
interface Place {
  readonly key: string;
  readonly size: number;
  question: Question;
}

/**
 * Reading statements that are asked again before anybody commits: the second run's rows are kept for those that follow,
 * and whoever asks while it runs waits for the same run. Most statements are never repeated, which is why the first
 * run's rows are not kept: they would only be moved about by the garbage collector.
 *
 * `version` differs after each commit of whoever else writes to the file, this process's own writer included.
 */
export class CachedReads {
  private readonly questions = new LRUCache<string, Question>({
    max: REMEMBERED_STATEMENTS,
    maxSize: KEPT_BYTES,
    maxEntrySize: LARGEST,
  });
  private readonly kept = new WeakMap<Rows, Place>();

  constructor(
    private readonly version: () => number,
    private readonly run: (statement: CompiledSql) => MaybePromise<Rows>,
  ) {}

  /** The rows, which others are given as well. */
  read<Row>(statement: CompiledSql): MaybePromise<readonly Row[]> {
    return this.ask(statement) as MaybePromise<readonly Row[]>;
  }

  /** Are these rows kept for others? */
  isCached(rows: readonly unknown[]): boolean {
    return this.kept.has(rows as Rows);
  }

  /**
   * Makes room for so many bytes of what was made of rows, for as long as these are kept. False where they are not, or
   * where it is too much.
   */
  reserveBeside(rows: readonly unknown[], bytes: number): boolean {
    const place = this.kept.get(rows as Rows);
    if (!place) return false;
    const whole = place.size + bytes;
    if (whole > LARGEST || this.questions.peek(place.key) !== place.question) return false;
    // The cache takes note of another size only with another value.
    place.question = { ...place.question };
    this.questions.set(place.key, place.question, { size: whole });
    return true;
  }

  private ask(statement: CompiledSql): MaybePromise<Rows> {
    const version = this.version();
    const key = statementKey(statement);
    const known = this.questions.get(key);
    if (known?.version !== version) {
      this.questions.set(key, { version }, { size: key.length });
      return this.run(statement);
    }
    if (known.answer !== undefined) return known.answer;
    if (changesByItself(statement.sql)) return this.run(statement);
    const answer = this.run(statement);
    if (answer instanceof Promise) this.share(key, known, answer);
    else this.keep(key, version, answer);
    return answer;
  }

  /** Lets others wait for the same run, which saw what was committed when it began or later. */
  private share(key: string, question: Question, running: Promise<Rows>): void {
    question.answer = running;
    const isCurrent = () => this.questions.peek(key) === question;
    running.then(
      (rows) => void (isCurrent() && this.keep(key, question.version, rows)),
      () => void (isCurrent() && this.questions.delete(key)),
    );
  }

  private keep(key: string, version: number, answer: Rows): void {
    const question: Question = { version, answer };
    const size = key.length + sizeOf(answer);
    this.questions.set(key, question, { size });
    this.kept.set(answer, { key, size, question });
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

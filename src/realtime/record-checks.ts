import { Inject, Injectable, Logger } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { CLOCK } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import { isFault } from '../database/database.error.js';
import { EventLoopTurn } from '../http/event-loop/event-loop-turn.js';
import type { Clock } from '../kernel/clock.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { RecordRow } from '../kernel/records/record-model.js';
import type { CandidateCheck } from '../kernel/resolve/candidate-compiler.js';
import { ExpressionCompiler } from '../kernel/resolve/expression-compiler.js';

/** The values of a record at the moment of its event, as the collection is now. */
export interface CheckedRecord {
  readonly collection: Collection;
  readonly row: RecordRow;
}

/** Questions of one statement (RT-87). */
const MOST_CHECKS = 150;

/** Characters of different rules and filters in one statement; compiling more would block the event loop. */
const MOST_TEXT = 4_000;

/** Rules and filters on the values of an event (RT-63), one statement for up to 150 questions (RT-87). */
@Injectable()
export class RecordChecks {
  private readonly logger = new Logger('Realtime');

  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly expressions: ExpressionCompiler,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The checks that hold. One that cannot be compiled or executed does not hold (REC-8) and does not affect the others.
   */
  async holding<Check extends CandidateCheck>(record: CheckedRecord, checks: readonly Check[]): Promise<Set<Check>> {
    const holding = new Set<Check>();
    const turn = new EventLoopTurn();
    for (const portion of portionsOf(checks)) {
      await turn.pause();
      for (const check of await this.ask(record, portion)) holding.add(check);
    }
    return holding;
  }

  private async ask<Check extends CandidateCheck>(
    { collection, row }: CheckedRecord,
    checks: readonly Check[],
  ): Promise<Check[]> {
    try {
      const { catalog } = this.store;
      const asked = this.expressions.candidates({ catalog, collection, now: this.clock.now(), row, checks });
      for (const { error } of asked.broken) this.tell(collection, error);
      if (!asked.statement) return [];
      const rows = await this.database.all<{ index: number }>(asked.statement);
      return rows.map(({ index }) => checks[index]!);
    } catch (error) {
      // A fault of the database decides nothing; the event is tried again later.
      if (isFault(error)) throw error;
      if (checks.length > 1) return this.askOneByOne({ collection, row }, checks);
      this.tell(collection, error);
      return [];
    }
  }

  private async askOneByOne<Check extends CandidateCheck>(
    record: CheckedRecord,
    checks: readonly Check[],
  ): Promise<Check[]> {
    const held: Check[] = [];
    for (const check of checks) held.push(...(await this.ask(record, [check])));
    return held;
  }

  private tell(collection: Collection, error: unknown): void {
    this.logger.debug(`A rule or filter on "${collection.name}" lets no event through: ${String(error)}`);
  }
}

/** Groups checks into statements by number and length, counting each text once. A very long one is asked alone. */
function* portionsOf<Check extends CandidateCheck>(checks: readonly Check[]): Generator<readonly Check[]> {
  let portion: Check[] = [];
  let texts = new Set<string>();
  let length = 0;
  for (const check of checks) {
    const text = `${check.rule ?? ''}\0${check.filter ?? ''}`;
    const more = texts.has(text) ? 0 : text.length;
    if (portion.length > 0 && (portion.length === MOST_CHECKS || length + more > MOST_TEXT)) {
      yield portion;
      portion = [];
      texts = new Set();
      length = 0;
    }
    portion.push(check);
    length += texts.has(text) ? 0 : text.length;
    texts.add(text);
  }
  if (portion.length > 0) yield portion;
}

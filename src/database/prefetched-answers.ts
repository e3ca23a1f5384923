import type { SqlValue } from '../kernel/fields/field-type.js';
import { statementKey } from '../kernel/sql/bound-sql.js';
import type { CompiledSql } from './compiled-sql.js';

/** A question that may take long, such as a rule is one, with everything its answer depends on. */
export interface RuleQuestion {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** The tables it reads; none stands for any. */
  readonly tables: readonly string[];
  /** The instant it was asked for, in milliseconds since the epoch: part of its values. */
  readonly now: number;
}

interface Answer {
  readonly version: string;
  readonly rows: readonly unknown[];
}

/**
 * Answers that were found before a transaction began. Inside it an answer is as good as a new one while no table that
 * it was read from has changed: nobody else can write any more.
 */
export class PrefetchedAnswers {
  private readonly answers = new Map<string, Answer>();

  /** The instant of the first question, which is that of all others of this unit of work. */
  constructor(readonly since?: number) {}

  find(question: CompiledSql): Answer | undefined {
    return this.answers.get(statementKey(question));
  }

  keep(question: CompiledSql, answer: Answer): void {
    this.answers.set(statementKey(question), answer);
  }
}

export const NOTHING_PREFETCHED = new PrefetchedAnswers();

/** Thrown out of a transaction, so that a question which may take long is answered before it begins again. */
export class AnswerNeeded extends Error {
  constructor(readonly question: RuleQuestion) {
    super('A question that may take long has to be answered before the transaction.');
    this.name = 'AnswerNeeded';
  }
}

import { fieldError } from '../../kernel/errors/error-codes.js';
import { ValidationError } from '../../kernel/errors/validation.error.js';
import type { RecordRow } from '../../kernel/records/record-model.js';
import type { AnswerLimits } from './answer-limits.js';

/** What stands around a value in JSON: quotes, a colon, a comma. */
const PUNCTUATION = 6;

const MEBIBYTE = 1024 * 1024;

/** How much is expanded in one answer: every record and byte as often as it is written (EXP-12). */
export class ExpandSize {
  private recordCount = 0;
  private byteCount = 0;

  constructor(private readonly limits: AnswerLimits) {}

  get records(): number {
    return this.recordCount;
  }

  get bytes(): number {
    return this.byteCount;
  }

  /** Would that many more records be too many? */
  wouldExceed(records: number): boolean {
    return this.recordCount + records > this.limits.expandedRecords;
  }

  /** Throws 400 when there is no room for that many more. `path` is the path that leads to them. */
  requireRoom(records: number, path: string): void {
    if (this.wouldExceed(records)) throw tooLarge(path, `more than ${this.limits.expandedRecords} records`);
  }

  /** Counts a record that is written so often. Throws 400 when that is too much for one answer. */
  add(times: number, bytes: number, path: string): void {
    this.requireRoom(times, path);
    this.recordCount += times;
    this.byteCount += times * bytes;
    const { expandedBytes } = this.limits;
    if (this.byteCount > expandedBytes) throw tooLarge(path, `more than ${expandedBytes / MEBIBYTE} MiB of records`);
  }
}

/** The bytes of a row in an answer, roughly. */
export function bytesOf(row: RecordRow): number {
  let bytes = 0;
  for (const name in row) {
    const value = row[name];
    bytes += name.length + PUNCTUATION + (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  }
  return bytes;
}

function tooLarge(path: string, amount: string): ValidationError {
  const last = path.slice(path.lastIndexOf('.') + 1);
  const message =
    `With "${path}" one answer would hold ${amount}, each as often as others lead to it. ` +
    `Ask for fewer records at once (perPage), for a shorter path, or list the records of "${last}" by themselves.`;
  const error = fieldError('expand_too_large', undefined, message);
  return new ValidationError({ expand: error }, message);
}

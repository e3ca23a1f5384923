import { Injectable } from '@nestjs/common';

/** What one answer may take. Tests lower it. */
@Injectable()
export class AnswerLimits {
  /** Expanded records of one answer, counted as often as they are written (EXP-12). */
  expandedRecords = 50_000;
  /** Bytes of them. */
  expandedBytes = 32 * 1024 * 1024;
  /** Characters of the answers to all items of a batch. */
  batchCharacters = 64 * 1024 * 1024;
}

import { BadRequestError } from '../kernel/errors/bad-request.error.js';

const MEBIBYTE = 1024 * 1024;

/** What stands around a value in JSON, roughly. */
const PUNCTUATION = 4;

/**
 * How much the answer to a batch holds. Small items may have large answers, as updates of large records do, and all of
 * them are kept until the last item is done (OPS-39).
 */
export class BatchAnswerSize {
  private characters = 0;

  /** `limit` is in characters. */
  constructor(private readonly limit: number) {}

  /** Counts the answer to an item. Throws 400 when all of them are too much. */
  add(answer: unknown): void {
    this.characters += charactersOf(answer);
    if (this.characters <= this.limit) return;
    throw new BadRequestError(
      `The answer to the batch would hold more than ${this.limit / MEBIBYTE} MiB. ` +
        'Ask for fewer items, or for what you need of them: with "fields" in the address of an item.',
    );
  }
}

/** Without a stack that a deep document could exhaust. */
function charactersOf(answer: unknown): number {
  let characters = 0;
  const left = [answer];
  while (left.length > 0) {
    const value = left.pop();
    characters += PUNCTUATION;
    if (typeof value === 'string') characters += value.length;
    else if (Array.isArray(value)) for (const each of value) left.push(each);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) {
        characters += name.length;
        left.push(each);
      }
    }
  }
  return characters;
}

import { keptText, MOST_TEXT } from './redact.js';

const MOST_TOGETHER = 16 * MOST_TEXT;
const DEEPEST = 32;
const CUT = '...';

/**
 * What an error says about values, without what is long of it: an error may repeat what was sent, and thousands of them
 * may wait to be written (OPS-39). Texts are cut; what is nested deeply or comes after 32,000 characters is `...`.
 */
export function errorDetails(data: object): object {
  return new Shortening().object(data, 0);
}

class Shortening {
  private left = MOST_TOGETHER;

  object(object: object, depth: number): object {
    const kept: [string, unknown][] = [];
    for (const [name, value] of Object.entries(object)) {
      if (this.left <= 0) return Object.fromEntries([...kept, [CUT, CUT]]) as object;
      kept.push([this.text(name), this.value(value, depth + 1)]);
    }
    return Object.fromEntries(kept) as object;
  }

  private list(list: readonly unknown[], depth: number): unknown[] {
    const kept: unknown[] = [];
    for (const value of list) {
      if (this.left <= 0) return [...kept, CUT];
      kept.push(this.value(value, depth + 1));
    }
    return kept;
  }

  private value(value: unknown, depth: number): unknown {
    this.left -= 1;
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
    if (depth > DEEPEST) return CUT;
    return Array.isArray(value) ? this.list(value, depth) : this.object(value, depth);
  }

  private text(text: string): string {
    this.left -= Math.min(text.length, MOST_TEXT);
    return keptText(text);
  }
}

import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

/**
 * Compiled `pattern` options. RE2 syntax on a linear-time engine, so that no stored pattern and no value can hold up
 * the server (COL-58). Each field type has a cache of its own; it forgets what was not used for long.
 */
export class PatternCache {
  private readonly compiled = new LRUCache<string, RE2JS>({ max: 500 });

  /** True when the text is a regular expression. */
  isValid(pattern: string): boolean {
    return this.compile(pattern) !== undefined;
  }

  /** True when the pattern matches somewhere in the text. A pattern that is none matches nothing. */
  matches(pattern: string, text: string): boolean {
    return this.compile(pattern)?.test(text) ?? false;
  }

  private compile(pattern: string): RE2JS | undefined {
    const known = this.compiled.get(pattern);
    if (known) return known;
    try {
      const fresh = RE2JS.compile(pattern);
      this.compiled.set(pattern, fresh);
      return fresh;
    } catch {
      return undefined;
    }
  }
}

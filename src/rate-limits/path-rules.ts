import type { CompiledRateLimit } from './compiled-rate-limit.js';

interface PathRule {
  readonly path: string;
  readonly rule: CompiledRateLimit;
}

/** Rules for a path, or for everything below one. Nothing is put together to look for one: it is done for each request. */
export class PathRules {
  private readonly rules: readonly PathRule[];
  /** The longest first. */
  private readonly prefixes: readonly PathRule[];
  /** The lengths of all paths: what has none of them needs no comparing. */
  private readonly lengths: ReadonlySet<number>;

  constructor(rules: readonly PathRule[]) {
    this.rules = rules;
    this.prefixes = rules.filter(({ path }) => path.endsWith('/')).sort((a, b) => b.path.length - a.path.length);
    this.lengths = new Set(rules.map(({ path }) => path.length));
  }

  /** The rule for exactly this path, else the one for the closest directory that it is or lies in (OPS-22). */
  find(path: string, fits: (rule: CompiledRateLimit) => boolean): CompiledRateLimit | undefined {
    if (this.lengths.has(path.length)) {
      const exact = this.rules.find((candidate) => candidate.path === path && fits(candidate.rule));
      if (exact) return exact.rule;
    }
    for (const { path: directory, rule } of this.prefixes) if (isBelow(path, directory) && fits(rule)) return rule;
    return undefined;
  }
}

/** The directory itself counts too, written without its slash at the end. */
function isBelow(path: string, directory: string): boolean {
  return path.length >= directory.length
    ? path.startsWith(directory)
    : path.length === directory.length - 1 && directory.startsWith(path);
}

import type { CompiledRateLimit } from './compiled-rate-limit.js';

const SLASH = '/'.charCodeAt(0);

interface PathRule {
  readonly path: string;
  readonly rule: CompiledRateLimit;
}

/** Rules for everything below a directory, of all whose path has its last slash at one place. */
interface Directories {
  readonly slash: number;
  readonly rules: readonly PathRule[];
}

/** Rules for a path, or for everything below one. Nothing is put together to look for one: it is done for each request. */
export class PathRules {
  private readonly rules: readonly PathRule[];
  private readonly directories: readonly Directories[];
  /** The lengths of all paths: what has none of them needs no comparing. */
  private readonly lengths: ReadonlySet<number>;

  constructor(rules: readonly PathRule[]) {
    this.rules = rules;
    this.directories = byLength(rules.filter(({ path }) => path.endsWith('/')));
    this.lengths = new Set(rules.map(({ path }) => path.length));
  }

  /** The rule for exactly this path, else the one for the closest directory that it is or lies in (OPS-22). */
  find(path: string, fits: (rule: CompiledRateLimit) => boolean): CompiledRateLimit | undefined {
    if (this.lengths.has(path.length)) {
      const exact = this.rules.find((candidate) => candidate.path === path && fits(candidate.rule));
      if (exact) return exact.rule;
    }
    for (const { slash, rules } of this.directories) {
      // Neither below any of them nor one itself.
      if (path.length > slash ? path.charCodeAt(slash) !== SLASH : path.length !== slash) continue;
      for (const { path: directory, rule } of rules) if (isBelow(path, directory) && fits(rule)) return rule;
    }
    return undefined;
  }
}

/** The longest first. */
function byLength(rules: readonly PathRule[]): Directories[] {
  const lengths = [...new Set(rules.map(({ path }) => path.length))].sort((a, b) => b - a);
  return lengths.map((length) => ({ slash: length - 1, rules: rules.filter(({ path }) => path.length === length) }));
}

/** The directory itself counts too, written without its slash at the end. */
function isBelow(path: string, directory: string): boolean {
  return path.length >= directory.length ? path.startsWith(directory) : directory === `${path}/`;
}

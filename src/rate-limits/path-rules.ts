import type { CompiledRateLimit } from './compiled-rate-limit.js';

const SLASH = '/'.charCodeAt(0);

/**
 * Rules for a path, or for everything below one. Nothing is put together to look for one, and as little memory as can be
 * is looked at, because it is done for each request.
 */
export class PathRules {
  /** By the length of their paths: what has none of these lengths needs no comparing. */
  private readonly byLength: (CompiledRateLimit[] | undefined)[] = [];
  /** Where the paths of directories have their last slash, the longest first, and the rules for those of each length. */
  private readonly slashes: readonly number[];
  private readonly directories: readonly CompiledRateLimit[][];

  constructor(rules: readonly CompiledRateLimit[]) {
    const longest = Math.max(-1, ...rules.map(({ path }) => path.length));
    for (let length = 0; length <= longest; length++) {
      const ofLength = rules.filter(({ path }) => path.length === length);
      this.byLength.push(ofLength.length > 0 ? ofLength : undefined);
    }
    const directories = rules.filter(({ path }) => path.endsWith('/'));
    this.slashes = [...new Set(directories.map(({ path }) => path.length - 1))].sort((a, b) => b - a);
    this.directories = this.slashes.map((slash) => directories.filter(({ path }) => path.length - 1 === slash));
  }

  /** The rule for exactly this path, else the one for the closest directory that it is or lies in (OPS-22). */
  find(path: string, fits: (rule: CompiledRateLimit) => boolean): CompiledRateLimit | undefined {
    const { byLength, slashes } = this;
    const ofLength = path.length < byLength.length ? byLength[path.length] : undefined;
    if (ofLength) for (const rule of ofLength) if (rule.path === path && fits(rule)) return rule;
    for (let index = 0; index < slashes.length; index++) {
      const slash = slashes[index];
      // Neither below any of them nor one itself.
      if (path.length > slash ? path.charCodeAt(slash) !== SLASH : path.length !== slash) continue;
      for (const rule of this.directories[index]) if (isBelow(path, rule.path) && fits(rule)) return rule;
    }
    return undefined;
  }
}

/** The directory itself counts too, written without its slash at the end. */
function isBelow(path: string, directory: string): boolean {
  return path.length >= directory.length ? path.startsWith(directory) : directory === `${path}/`;
}

import { requestPath } from '../http/request-path.js';
import type { CompiledRateLimit } from './compiled-rate-limit.js';

const SLASH = '/'.charCodeAt(0);

/** A path with one of these began otherwise in its URL. */
const NOT_AS_IN_URL = /[%?#]/;

/**
 * Rules for a path, or for everything below one, as a radix tree: a path walks down as far as it goes along with one of
 * the rules, which is a step or two for most paths.
 */
export class PathTree {
  private readonly root: Node;
  /** What the last walk has looked at of its path: whatever goes on from there has the rule that it found. */
  private seen: string | undefined;
  private found: CompiledRateLimit | undefined;

  /** Of several rules for the same path the first one counts. */
  constructor(rules: readonly CompiledRateLimit[]) {
    this.root = new Node('', '', [...rules].sort(byPath));
  }

  /** In any letter case, the rule for exactly the path of a URL, else the one for the closest directory that it is or lies in (OPS-22). */
  find(url: string): CompiledRateLimit | undefined {
    // Most paths leave those of the rules at the same letter; a walk looks at a dozen places in memory.
    return this.seen !== undefined && url.startsWith(this.seen)
      ? this.found
      : this.walk(requestPath(url).toLowerCase());
  }

  private walk(path: string): CompiledRateLimit | undefined {
    let node = this.root;
    let closest: CompiledRateLimit | undefined;
    let at = 0;
    while (at < path.length) {
      const child = node.childFor(path.charCodeAt(at));
      if (child === undefined) return this.remember(path.slice(0, at + 1), closest);
      if (!path.startsWith(child.label, at)) return child.asDirectory(path, at) ?? closest;
      at += child.label.length;
      node = child;
      closest = node.above ?? closest;
    }
    return node.equal ?? node.childFor(SLASH)?.asDirectory(path, at) ?? closest;
  }

  private remember(seen: string, found: CompiledRateLimit | undefined): CompiledRateLimit | undefined {
    if (!NOT_AS_IN_URL.test(seen)) {
      this.seen = seen;
      this.found = found;
    }
    return found;
  }
}

/** Where the paths of rules part. */
class Node {
  /** The rule for exactly the path that leads here. */
  readonly equal: CompiledRateLimit | undefined;
  /** The same when that path is a directory: the rule for everything below it. */
  readonly above: CompiledRateLimit | undefined;
  /** The letters that the labels of the children begin with. */
  private readonly letters: readonly number[];
  private readonly children: readonly Node[];

  /** `path`: what leads here, `label`: its last part, `rules`: those whose paths begin with it, in their order. */
  constructor(
    path: string,
    readonly label: string,
    rules: readonly CompiledRateLimit[],
  ) {
    this.equal = rules.find((rule) => rule.path === path);
    this.above = path.endsWith('/') ? this.equal : undefined;
    const longer = rules.filter((rule) => rule.path !== path);
    this.letters = [...new Set(longer.map((rule) => rule.path.charCodeAt(path.length)))];
    this.children = this.letters.map((letter) => {
      const below = longer.filter((rule) => rule.path.charCodeAt(path.length) === letter);
      const common = commonStart(below[0]!.path, below.at(-1)!.path);
      return new Node(common, common.slice(path.length), below);
    });
  }

  childFor(letter: number): Node | undefined {
    const { letters } = this;
    for (let index = 0; index < letters.length; index++) if (letters[index] === letter) return this.children[index];
    return undefined;
  }

  /** The rule of this directory for its own path without the slash at the end, of which the rest begins at `at`. */
  asDirectory(path: string, at: number): CompiledRateLimit | undefined {
    const isPath = path.length - at === this.label.length - 1 && this.label.startsWith(path.slice(at));
    return isPath ? this.above : undefined;
  }
}

/** Of paths in order, the first and the last one have no more in common than all of them. */
function byPath({ path: one }: CompiledRateLimit, { path: other }: CompiledRateLimit): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}

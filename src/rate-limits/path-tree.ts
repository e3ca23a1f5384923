import type { CompiledRateLimit } from './compiled-rate-limit.js';
import { RulesByAudience } from './rules-by-audience.js';

const SLASH = '/'.charCodeAt(0);

/**
 * Rules for a path, or for everything below one, as a radix tree: a path walks down as far as it goes along with one of
 * the rules, which is a step or two for most paths, and little memory to look at. It is done for each request.
 */
export class PathTree {
  private readonly root: Node;

  constructor(rules: readonly CompiledRateLimit[]) {
    this.root = new Node('', '', [...rules].sort(byPath));
  }

  /** The rule for exactly this path, else the one for the closest directory that it is or lies in (OPS-22). */
  find(path: string, isGuest: boolean): CompiledRateLimit | undefined {
    let node = this.root;
    let closest: CompiledRateLimit | undefined;
    let at = 0;
    while (at < path.length) {
      const child = node.childFor(path.charCodeAt(at));
      if (child === undefined) return closest;
      if (!path.startsWith(child.label, at)) return child.asDirectory(path, at, isGuest) ?? closest;
      at += child.label.length;
      node = child;
      closest = node.above?.of(isGuest) ?? closest;
    }
    return node.equal?.of(isGuest) ?? node.childFor(SLASH)?.asDirectory(path, at, isGuest) ?? closest;
  }
}

/** Where the paths of rules part. */
class Node {
  /** Rules for exactly the path that leads here. */
  readonly equal: RulesByAudience | undefined;
  /** The same when that path is a directory: rules for everything below it. */
  readonly above: RulesByAudience | undefined;
  /** The letters that the labels of the children begin with. */
  private readonly letters: readonly number[];
  private readonly children: readonly Node[];

  /** `path`: what leads here, `label`: its last part, `rules`: those whose paths begin with it, in their order. */
  constructor(
    path: string,
    readonly label: string,
    rules: readonly CompiledRateLimit[],
  ) {
    const here = rules.filter((rule) => rule.path === path);
    this.equal = here.length > 0 ? new RulesByAudience(here) : undefined;
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
  asDirectory(path: string, at: number, isGuest: boolean): CompiledRateLimit | undefined {
    const isPath = path.length - at === this.label.length - 1 && this.label.startsWith(path.slice(at));
    return isPath ? this.above?.of(isGuest) : undefined;
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

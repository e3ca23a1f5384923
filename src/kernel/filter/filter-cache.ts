import { LRUCache } from 'lru-cache';
import type { FilterNode } from './filter-node.js';
import { parseFilter, requireFilterLength, type ParseFilterOptions } from './parse-filter.js';

const MAX_CHARACTERS = 250_000;
const MAX_ENTRIES = 1000;

/** A cache of parsed texts, limited in number and size. */
export class FilterCache {
  private readonly trees = new LRUCache<string, FilterNode>({
    max: MAX_ENTRIES,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_tree, text) => text.length,
  });

  /** As `parseFilter`; equal texts give the identical tree, so that work on a tree can be remembered by it. */
  parse(text: string, options: ParseFilterOptions = {}): FilterNode {
    requireFilterLength(text, options);
    let tree = this.trees.get(text);
    if (!tree) {
      tree = parseFilter(text);
      this.trees.set(text, tree);
    }
    return tree;
  }
}

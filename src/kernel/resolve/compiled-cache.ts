import { LRUCache } from 'lru-cache';
import type { CollectionCatalog } from '../collections/collection-catalog.js';
import type { Collection } from '../collections/collection.js';
import type { BindScope } from './expression-scope.js';
import type { RequestReader } from './request-reader.js';

const MAX_TEXTS = 2000;
const MAX_CHARACTERS = 8_000_000;
const MAX_VARIANTS = 16;

interface Variant<Compiled> {
  readonly reader: RequestReader;
  readonly compiled: Compiled;
  /** How many characters of SQL there are, more or less. */
  readonly size: number;
}

/**
 * Caches what was compiled for a collection, by its text, in several variants for requests that lead to different SQL.
 * Limited in number and size, whatever clients ask for.
 */
export class CompiledCache<Compiled> {
  private readonly texts = new LRUCache<string, readonly Variant<Compiled>[]>({
    max: MAX_TEXTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (variants, key) => variants.reduce((sum, { size }) => sum + size, key.length + 1),
  });
  private readonly schemas = new WeakMap<CollectionCatalog, WeakMap<Collection, string>>();
  private lastSchema = 0;

  /** What was compiled for such a scope; else what `compile` gives, remembered with what it assumed about the scope. */
  get(
    catalog: CollectionCatalog,
    collection: Collection,
    text: string,
    scope: BindScope,
    compile: () => Variant<Compiled>,
  ): Compiled {
    const key = this.schema(catalog, collection) + text;
    const variants = this.texts.get(key) ?? [];
    for (const { reader, compiled } of variants) {
      if (reader.fits(scope)) return compiled;
    }
    const variant = compile();
    variant.reader.seal();
    this.texts.set(key, [variant, ...variants.slice(0, MAX_VARIANTS - 1)]);
    return variant.compiled;
  }

  /** A key for the collection in this catalog: a change of either gives another one. */
  private schema(catalog: CollectionCatalog, collection: Collection): string {
    let collections = this.schemas.get(catalog);
    if (!collections) this.schemas.set(catalog, (collections = new WeakMap()));
    let schema = collections.get(collection);
    if (schema === undefined) collections.set(collection, (schema = `${++this.lastSchema}\0`));
    return schema;
  }
}

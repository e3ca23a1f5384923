import { LRUCache } from 'lru-cache';
import type { CollectionCatalog } from '../collections/collection-catalog.js';
import type { Collection } from '../collections/collection.js';
import type { BindScope } from './bind-scope.js';
import type { RequestReader } from './request-reader.js';

const MAX_TEXTS = 200;
const MAX_VARIANTS = 16;

interface Variant<Compiled> {
  readonly reader: RequestReader;
  readonly compiled: Compiled;
}

/**
 * What was compiled for a collection, by a text that stands for it; several variants of each, for requests that look
 * different to it. Bounded, and gone with the schema it was compiled for.
 */
export class CompiledCache<Compiled> {
  private readonly catalogs = new WeakMap<
    CollectionCatalog,
    WeakMap<Collection, LRUCache<string, Variant<Compiled>[]>>
  >();

  /** What was compiled for such a scope; else what `compile` gives, remembered with what it assumed about the request. */
  get(
    catalog: CollectionCatalog,
    collection: Collection,
    key: string,
    scope: BindScope,
    compile: () => Variant<Compiled>,
  ): Compiled {
    const variants = this.variants(catalog, collection, key);
    for (const { reader, compiled } of variants) {
      if (reader.fits(scope)) return compiled;
    }
    const variant = compile();
    variants.unshift(variant);
    if (variants.length > MAX_VARIANTS) variants.pop();
    return variant.compiled;
  }

  private variants(catalog: CollectionCatalog, collection: Collection, key: string): Variant<Compiled>[] {
    let collections = this.catalogs.get(catalog);
    if (!collections) this.catalogs.set(catalog, (collections = new WeakMap()));
    let texts = collections.get(collection);
    if (!texts) collections.set(collection, (texts = new LRUCache({ max: MAX_TEXTS })));
    let variants = texts.get(key);
    if (!variants) texts.set(key, (variants = []));
    return variants;
  }
}

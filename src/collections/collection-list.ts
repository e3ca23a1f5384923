import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import { queryValues } from '../http/request/query-value.js';
import type { Clock } from '../kernel/clock.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import { blankCollection } from '../kernel/collections/collection-draft.js';
import { collectionToJson } from '../kernel/collections/collection-json.js';
import { Collection } from '../kernel/collections/collection.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { normalizeFieldDefinition } from '../kernel/fields/normalize-field-definition.js';
import { FilterError } from '../kernel/filter/filter.error.js';
import { MAX_CLIENT_FILTER_BYTES, requireFilterLength } from '../kernel/filter/parse-filter.js';
import { invalidQuery } from '../kernel/query/invalid-query.js';
import { type ListPage, pageOffset, parsePage, toListPage } from '../kernel/query/page.js';
import type { Caller } from '../kernel/records/caller.js';
import { ExpressionCompiler } from '../kernel/resolve/expression-compiler.js';
import { CatalogReader } from './catalog-reader.js';

/** One page of collections, as JSON (COL-83). */
export type CollectionPage = ListPage<Record<string, unknown>>;

interface ListedBy {
  readonly filter: string;
  readonly sort: string;
  readonly limit: number;
  readonly caller: Caller;
  readonly catalog: CatalogSnapshot;
}

/** What collections can be filtered and sorted by (COL-85). */
const LISTED_COLUMNS = { id: 'text', created: 'date', updated: 'date', name: 'text', system: 'bool', type: 'text' };

/** Lists collections by filter, sort and page (COL-83 to COL-86), in the language in which records are listed. */
@Injectable()
export class CollectionList {
  /** The table of definitions, seen as a collection of which only some columns are known. */
  private readonly definitions: Collection;

  constructor(
    private readonly database: Database,
    private readonly reads: CatalogReader,
    private readonly expressions: ExpressionCompiler,
    types: FieldTypeRegistry,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    const fields = Object.entries(LISTED_COLUMNS).map(
      ([name, type]) => normalizeFieldDefinition({ id: name, name, type }, types).definition!,
    );
    this.definitions = new Collection({ ...blankCollection('base'), name: '_collections', fields }, types);
  }

  /** Throws 400 for a query parameter that is not valid. */
  async find(query: unknown, caller: Caller): Promise<CollectionPage> {
    const { filter = '', sort = '', ...paging } = queryValues(query);
    const page = parsePage(paging);
    return this.reads.during(async (catalog) => {
      const statements = this.statements({ filter, sort, limit: page.perPage, caller, catalog });
      const rows = await this.database.all<{ id: string }>(statements.page(pageOffset(page)));
      const items = rows.flatMap(({ id }) => catalog.findById(id) ?? []).map(collectionToJson);
      if (page.skipTotal) return toListPage(page, items);
      const [count] = await this.database.all<{ total: number }>(statements.count());
      return toListPage(page, items, count!.total);
    });
  }

  private statements(listed: ListedBy) {
    try {
      requireFilterLength(listed.filter, { maxBytes: MAX_CLIENT_FILTER_BYTES });
      const collection = this.definitions;
      return this.expressions.list({ ...listed, collection, now: this.clock.now(), columnsOnly: true });
    } catch (error) {
      throw error instanceof FilterError ? invalidQuery('filter', error) : error;
    }
  }
}

import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Upload } from '../kernel/files/upload.js';
import type { FilterNode } from '../kernel/filter/filter-node.js';
import type { FilterParameters } from '../kernel/filter/filter-parameters.js';
import { FilterError } from '../kernel/filter/filter.error.js';
import { bindParameters, MAX_CLIENT_FILTER_BYTES } from '../kernel/filter/parse-filter.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { invalidQuery } from '../kernel/query/invalid-query.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { Caller } from '../kernel/records/caller.js';
import { RecordModel } from '../kernel/records/record-model.js';
import type { CollectionName, NewValuesOf, RecordOf, ValuesOf } from '../kernel/records/typed-record.js';
import { type ListPage, MAX_PER_PAGE, type Page, toPage } from '../kernel/query/page.js';
import { parseExpand } from '../kernel/query/expand.js';
import { parseFields } from '../kernel/query/fields.js';
import { type ActOptions, actingCaller, requireActing } from './acting-caller.js';
import { ReadHooks } from './read/read-hooks.js';
import { RecordContents } from './write/record-contents.js';
import { RecordCascade } from './write/record-cascade.js';
import { RecordExpander } from './read/record-expander.js';
import { RecordList } from './read/record-list.js';
import { RecordPresenter } from './read/record-presenter.js';
import { RecordRules } from './record-rules.js';
import { RecordSave } from './write/record-save.js';
import { ConsistentReads } from './read/consistent-reads.js';
import { WriteTargets } from './write/write-targets.js';

/** What a single record is shown with. */
export interface ShowOptions extends ActOptions {
  /** Relation paths as in the `expand` parameter; what cannot be followed is left out. */
  readonly expand?: string;
}

/** Which records are wanted. */
export interface FilterOptions extends ActOptions {
  /** A filter; `{:name}` stands for the value of that name in `params` and is never spliced into the text. */
  readonly filter?: string;
  readonly params?: FilterParameters;
}

/** All records that are wanted. They come in the order of their ids. */
export interface EachOptions extends FilterOptions, ShowOptions {}

/** A page of the records that are wanted. */
export interface FindOptions extends FilterOptions, ShowOptions {
  readonly sort?: string;
  /** From 1. */
  readonly page?: number;
  /** 30 when absent, at most 1,000. */
  readonly perPage?: number;
  /** Leaves the totals at -1 and saves counting. */
  readonly skipTotal?: boolean;
}

/** Lets the compiler see which related records are asked for. */
export interface Expanding<Paths extends string> {
  readonly expand?: Paths;
}

/** How a record is written. */
export interface SaveOptions extends ShowOptions {
  /** Uploads by body key (`cover`, `docs+`). */
  readonly files?: ReadonlyMap<string, readonly Upload[]>;
}

/** How a record is updated. */
export interface UpdateOptions extends SaveOptions {
  /**
   * True where a step of the product's own must not fail over fields it has nothing to do with, because the collection
   * asks more of them since the record was saved: only what this call changes is validated.
   */
  readonly onlyChanged?: boolean;
}

/** What to keep of a record that is shown. */
export interface PickOptions {
  /** As in the `fields` parameter; everything when absent. */
  readonly fields?: string;
}

/** How a record is created. */
export interface CreateOptions<Model = RecordModel> extends SaveOptions {
  /** Further work in the transaction that stores the record, right after it: a throw undoes both. */
  readonly also?: (record: Model) => Promise<void>;
}

/**
 * Records of any collection, with the rules of the HTTP API when a caller is given and with full rights otherwise.
 * Inside `transaction` everything called takes part in it without being handed anything.
 *
 * `Collections` describes the collections to TypeScript (EXT-24): `RecordsService<Collections>` where it is injected,
 * or `find<Collections>('posts')` for one call, which knows less: TypeScript infers all type arguments or none, and
 * without the second one the fields are those of any of the collections. Nothing is checked at run time.
 */
@Injectable()
export class RecordsService<Collections = unknown> {
  constructor(
    private readonly database: Database,
    private readonly rules: RecordRules,
    private readonly lists: RecordList,
    private readonly saves: RecordSave,
    private readonly cascade: RecordCascade,
    private readonly expander: RecordExpander,
    private readonly reads: ConsistentReads,
    private readonly targets: WriteTargets,
    private readonly presenter: RecordPresenter,
    private readonly contents: RecordContents,
    private readonly hooks: ReadHooks,
  ) {}

  /** A page of the records that satisfy the list rule and the filter. Throws 404, 403 or 400 as the endpoint does. */
  async find<
    Known = Collections,
    Name extends CollectionName<Known> = CollectionName<Known>,
    Paths extends string = string,
  >(
    collection: Name,
    options: FindOptions & Expanding<Paths> = {},
  ): Promise<ListPage<RecordOf<NoInfer<Known>, Name, Paths>>> {
    if (options.perPage !== undefined && options.perPage > MAX_PER_PAGE) {
      throw new BadRequestError(`A page has at most ${MAX_PER_PAGE} records. \`each\` reads all of them.`);
    }
    const page = await this.page(collection, withParams(options), toPage(options), options);
    return page as unknown as ListPage<RecordOf<NoInfer<Known>, Name, Paths>>;
  }

  /**
   * All records that satisfy the list rule and the filter, one after the other, in the order of their ids. They are
   * read in pages by key: what is created or deleted meanwhile makes none of the others be skipped or met twice.
   * Throws as `find` does.
   */
  async *each<
    Known = Collections,
    Name extends CollectionName<Known> = CollectionName<Known>,
    Paths extends string = string,
  >(
    collection: Name,
    options: EachOptions & Expanding<Paths> = {},
  ): AsyncGenerator<RecordOf<NoInfer<Known>, Name, Paths>, void, undefined> {
    const page = { page: 1, perPage: MAX_PER_PAGE, skipTotal: true };
    const filter = options.filter?.trim() ? boundFilter(options.filter, options) : undefined;
    let wanted: string | FilterNode = filter ?? '';
    for (;;) {
      const { items } = await this.page(collection, wanted, page, options, { byId: true });
      yield* items as unknown as RecordOf<NoInfer<Known>, Name, Paths>[];
      if (items.length < page.perPage) return;
      const rest = bindParameters('id > {:id}', { id: items.at(-1)!.id });
      wanted = filter ? { kind: 'and', terms: [rest, filter], span: filter.span } : rest;
    }
  }

  /** The record with this id. Throws 404 when there is none or the view rule hides it. */
  async findOne<
    Known = Collections,
    Name extends CollectionName<Known> = CollectionName<Known>,
    Paths extends string = string,
  >(
    collection: Name,
    id: string,
    options: ShowOptions & Expanding<Paths> = {},
  ): Promise<RecordOf<NoInfer<Known>, Name, Paths>> {
    const expand = parseExpand(options.expand ?? '');
    const asker = actingCaller(options);
    const found = await this.reads.of(collection, asker, async (target, caller) => {
      const record = await this.rules.require(target, id, 'view', caller);
      if (expand.length > 0) await this.expander.expand([record], expand, caller);
      return record;
    });
    await this.hooks.beforeView(found, asker);
    return found as RecordOf<NoInfer<Known>, Name, Paths>;
  }

  /** The first record that satisfies a filter, undefined when there is none. */
  async findFirst<
    Known = Collections,
    Name extends CollectionName<Known> = CollectionName<Known>,
    Paths extends string = string,
  >(
    collection: Name,
    filter: string,
    params: FilterParameters = {},
    options: ShowOptions & Expanding<Paths> & { readonly sort?: string } = {},
  ): Promise<RecordOf<NoInfer<Known>, Name, Paths> | undefined> {
    const page = await this.find<Known, Name, Paths>(collection, {
      ...options,
      filter,
      params,
      perPage: 1,
      skipTotal: true,
    });
    return page.items[0];
  }

  /** How many records satisfy the list rule and the filter. */
  async count<Known = Collections, Name extends CollectionName<Known> = CollectionName<Known>>(
    collection: Name,
    options: Pick<FindOptions, 'as' | 'filter' | 'params'> = {},
  ): Promise<number> {
    const page = await this.find<Known, Name>(collection, { ...options, perPage: 1 });
    return page.totalItems;
  }

  /** Stores a new record. Throws a ValidationError, or 400 when the create rule does not hold. */
  async create<Known = Collections, Name extends CollectionName<Known> = CollectionName<Known>>(
    collection: Name,
    values: NewValuesOf<NoInfer<Known>, Name>,
    options: CreateOptions<RecordOf<NoInfer<Known>, Name>> = {},
  ): Promise<RecordOf<NoInfer<Known>, Name>> {
    const caller = actingCaller(options);
    const also = options.also as CreateOptions['also'];
    const record = await this.contents.asUploads(toInput(collection, values, options), (input) =>
      this.saves.create(collection, input, caller, { also }),
    );
    return this.expanded(record, options);
  }

  /** Changes the given fields of a record; `name+`, `name-` and `+name` modify. Throws 404, or a ValidationError. */
  async update<Known = Collections, Name extends CollectionName<Known> = CollectionName<Known>>(
    collection: Name,
    id: string,
    values: ValuesOf<NoInfer<Known>, Name>,
    options: UpdateOptions = {},
  ): Promise<RecordOf<NoInfer<Known>, Name>> {
    const caller = actingCaller(options);
    const { onlyChanged } = options;
    const record = await this.contents.asUploads(toInput(collection, values, options), (input) =>
      this.saves.update(collection, id, input, caller, { onlyChanged }),
    );
    return this.expanded(record, options);
  }

  /** Updates the record whose id stands in `values`, or creates it (REC-3). */
  async upsert<Known = Collections, Name extends CollectionName<Known> = CollectionName<Known>>(
    collection: Name,
    values: ValuesOf<NoInfer<Known>, Name>,
    options: SaveOptions = {},
  ): Promise<RecordOf<NoInfer<Known>, Name>> {
    const caller = actingCaller(options);
    const record = await this.contents.asUploads(toInput(collection, values, options), (input) =>
      this.saves.upsert(collection, input, caller),
    );
    return this.expanded(record, options);
  }

  /** Deletes a record with everything that cascades from it. Throws 404, or 400 when it is still required. */
  async delete<Known = Collections, Name extends CollectionName<Known> = CollectionName<Known>>(
    collection: Name,
    id: string,
    options: ActOptions = {},
  ): Promise<void> {
    const wanted = { collection, kind: 'delete', caller: actingCaller(options) } as const;
    this.targets.find(wanted);
    const remove = async (target: Collection, caller: Caller | null): Promise<void> => {
      await this.cascade.lock(target, id);
      const record = await this.rules.require(target, id, 'delete', caller);
      this.database.ruleQuestions.endPrefetch();
      await this.cascade.remove(target, [record], caller);
    };
    await this.database.ruleQuestions.withPrefetch((foresight) =>
      this.targets.inTransaction(wanted, remove, foresight),
    );
  }

  /**
   * Deletes a record that works once, with full rights, and gives it. Undefined when it is gone: of any number of
   * callers at the same moment one gets it (SCALE-16). What it is good for belongs into the transaction around this.
   */
  async consume(collection: string, id: string): Promise<RecordModel | undefined> {
    const wanted = { collection, kind: 'delete', caller: null } as const;
    return this.targets.inTransaction(wanted, (target) => this.cascade.take(target, id));
  }

  /**
   * What a caller may see of records, as the endpoints write it: with what was expanded, without hidden fields and the
   * email addresses of others, after the `EnrichRecord` hooks. Whether the caller may see a record at all is not asked
   * here but where it is found. A record that is put into an answer as it is shows what a guest could see of its
   * fields, and no hook runs.
   */
  async show(record: RecordModel, caller: Caller, options?: PickOptions): Promise<Record<string, unknown>>;
  async show(
    records: readonly RecordModel[],
    caller: Caller,
    options?: PickOptions,
  ): Promise<Record<string, unknown>[]>;
  async show(
    shown: RecordModel | readonly RecordModel[],
    caller: Caller,
    { fields = '' }: PickOptions = {},
  ): Promise<Record<string, unknown> | Record<string, unknown>[]> {
    requireActing(caller, 'caller');
    const picker = parseFields(fields);
    if (!(shown instanceof RecordModel)) {
      return this.presenter.present(await this.presenter.prepare(shown, caller), picker);
    }
    return this.presenter.presentOne(await this.presenter.prepare([shown], caller), picker);
  }

  /** Runs work in one transaction, joining the one around it. A throw undoes everything, files and events included. */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  private async page(
    collection: string,
    filter: string | FilterNode,
    page: Page,
    options: Pick<FindOptions, 'as' | 'sort' | 'expand'>,
    /** True where pages follow each other by id, whatever a hook wants. */
    { byId = false } = {},
  ): Promise<ListPage<RecordModel>> {
    const asker = actingCaller(options);
    const asked = { page, filter, sort: options.sort ?? '', expand: parseExpand(options.expand ?? '') };
    const hooked = await this.hooks.beforeList(collection, asker, asked);
    const wanted = byId ? { ...hooked, sort: 'id' } : hooked;
    const read = await this.reads.of(collection, asker, (target, caller) =>
      this.lists.read(target, { ...wanted, caller }),
    );
    await this.hooks.afterList(collection, asker, wanted, read.found);
    return read.page;
  }

  private async expanded<Model>(record: RecordModel, options: ShowOptions): Promise<Model> {
    const expand = parseExpand(options.expand ?? '');
    if (expand.length === 0) return record as Model;
    const shown = await this.reads.ofRecord(record, actingCaller(options), async (current, caller) => {
      await this.expander.expand([current], expand, caller);
      return current;
    });
    return shown as Model;
  }
}

function toInput(collection: string, values: Readonly<Record<string, unknown>>, { files = new Map() }: SaveOptions) {
  return { collection, values, files };
}

function withParams(options: FilterOptions): string | FilterNode {
  const { filter, params } = options;
  return filter && params ? boundFilter(filter, options) : (filter ?? '');
}

/** Throws 400 for a filter that means nothing. */
function boundFilter(filter: string, { params, as }: FilterOptions): FilterNode {
  try {
    return bindParameters(filter, params ?? {}, as && !params ? { maxBytes: MAX_CLIENT_FILTER_BYTES } : {});
  } catch (error) {
    throw error instanceof FilterError ? invalidQuery('filter', error) : error;
  }
}

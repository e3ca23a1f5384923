import { Injectable } from '@nestjs/common';
import { CollectionDeleted } from '../../collections/collection-deleted.event.js';
import { Database } from '../../database/database.js';
import { OnEvent } from '../../events/on-event.decorator.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { NotFoundError } from '../../kernel/errors/not-found.error.js';
import { newRecordId } from '../../kernel/ids.js';
import { type Caller, SUPERUSERS_ID } from '../../kernel/records/caller.js';
import type { SqlNode } from '../../kernel/sql/sql-node.js';
import { and, column, columnsOf, compare, oneOf, param, table } from '../../kernel/sql/sql.js';
import { AfterRecordDelete, type RecordDeletedEvent } from '../../records/record.hooks.js';
import type { ListView, ListViewDto } from './list-view.dto.js';

const TABLE = '_views';
/** The owner of views that are shared by all. */
const EVERYONE = '';
/** More would not be usable in a menu. */
const MAX_VIEWS = 500;

const TEXTS = { id: 'text', owner: 'text', name: 'text', filter: 'text', sort: 'text', columns: 'text' } as const;
type Row = Readonly<Record<keyof typeof TEXTS, string>>;

const is = (name: string, value: string): SqlNode => compare(column(TABLE, name), '=', param(value));

/** Saved views of the lists of a collection: each superuser's own, and shared ones (UI-73). */
@Injectable()
export class ListViewsService {
  constructor(private readonly database: Database) {}

  /** By name. */
  async find(collection: Collection, caller: Caller): Promise<ListView[]> {
    const rows = await this.database.all<Row>({
      kind: 'select',
      columns: columnsOf(TABLE, TEXTS),
      from: table(TABLE),
      where: and(is('collection', collection.id), visibleTo(caller)),
      order: [
        { value: column(TABLE, 'name'), descending: false },
        { value: column(TABLE, 'id'), descending: false },
      ],
    });
    return rows.map(toView);
  }

  /** Throws a BadRequestError where there are too many. */
  async create(collection: Collection, form: ListViewDto, caller: Caller): Promise<ListView> {
    return this.database.transaction(async () => {
      await this.database.lock(`views of ${collection.id}`);
      if ((await this.find(collection, caller)).length >= MAX_VIEWS) {
        throw new BadRequestError(`More than ${MAX_VIEWS} views of a collection are not kept.`);
      }
      const row: Row & { collection: string } = {
        ...rowOf(form, caller),
        id: newRecordId(),
        collection: collection.id,
      };
      const names = Object.keys(row) as (keyof typeof row)[];
      await this.database.run({
        kind: 'insert',
        into: TABLE,
        columns: names,
        rows: [names.map((name) => param(row[name]))],
      });
      return toView(row);
    });
  }

  /** Puts what was sent in the place of what was kept. Throws 404 for what is not there, or is somebody else's own. */
  async replace(collection: Collection, id: string, form: ListViewDto, caller: Caller): Promise<ListView> {
    const row = rowOf(form, caller);
    const { rows } = await this.database.run<{ id: string }>({
      kind: 'update',
      table: TABLE,
      set: Object.entries(row).map(([name, value]) => ({ column: name, value: param(value) })),
      where: this.one(collection, id, caller),
      returning: columnsOf(TABLE, { id: 'text' }),
    });
    if (rows.length === 0) throw new NotFoundError();
    return toView({ ...row, id });
  }

  /** Throws 404 as `replace` does. */
  async delete(collection: Collection, id: string, caller: Caller): Promise<void> {
    const { rows } = await this.database.run<{ id: string }>({
      kind: 'delete',
      from: TABLE,
      where: this.one(collection, id, caller),
      returning: columnsOf(TABLE, { id: 'text' }),
    });
    if (rows.length === 0) throw new NotFoundError();
  }

  @OnEvent(CollectionDeleted)
  async forgetCollection({ collection }: CollectionDeleted): Promise<void> {
    await this.database.run({ kind: 'delete', from: TABLE, where: is('collection', collection.id) });
  }

  @AfterRecordDelete(SUPERUSERS_ID)
  async forgetOwner({ record }: RecordDeletedEvent): Promise<void> {
    await this.database.run({ kind: 'delete', from: TABLE, where: is('owner', record.id) });
  }

  private one(collection: Collection, id: string, caller: Caller): SqlNode {
    return and(is('id', id), is('collection', collection.id), visibleTo(caller));
  }
}

function visibleTo({ auth }: Caller): SqlNode {
  return oneOf(column(TABLE, 'owner'), [param(EVERYONE), param(auth!.id)]);
}

function rowOf({ name, filter, sort, columns, shared }: ListViewDto, { auth }: Caller): Omit<Row, 'id'> {
  return { owner: shared ? EVERYONE : auth!.id, name, filter, sort, columns: JSON.stringify(columns) };
}

function toView({ id, owner, name, filter, sort, columns }: Row): ListView {
  return {
    id,
    name,
    filter,
    sort,
    columns: JSON.parse(columns) as Record<string, unknown>,
    shared: owner === EVERYONE,
  };
}

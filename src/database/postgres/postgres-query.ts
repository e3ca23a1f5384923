import pg, { type ClientBase, type Connection } from 'pg';
import type { SqlValue } from '../../kernel/fields/field-type.js';
import { shownName } from '../../kernel/sql/postgres-names.js';
import { parserOf, type ParseText, toWire } from './postgres-values.js';

/** The columns of rows as the server has described them. */
interface RowShape {
  readonly names: readonly string[];
  readonly parsers: readonly ParseText[];
  /** A row without values, which copies are made of. */
  readonly blank: Readonly<Record<string, null>>;
}

/** A statement that connections may know by a name. What its rows look like is asked once, and not with each run. */
export class NamedStatement {
  shape?: RowShape;

  constructor(readonly name: string) {}
}

/** What came of a statement. */
export interface QueryOutcome {
  readonly rows: Record<string, unknown>[];
  readonly changes: number;
  readonly command: string;
}

interface RowDescription {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** What the driver's connection does for a query; its declared type has some of it only. */
export interface QueryConnection {
  parse(statement: { readonly text: string; readonly name?: string }): void;
  bind(values: {
    readonly statement?: string;
    readonly values: readonly unknown[];
    readonly valueMapper: unknown;
  }): void;
  describe(portal: { readonly type: 'P'; readonly name: string }): void;
  execute(portal: object): void;
  sync(): void;
  readonly submittedNamedStatements: Record<string, string>;
}

const NO_ROWS: RowShape = { names: [], parsers: [], blank: {} };

/**
 * A query of the driver with less on the way: nobody listens to its events, its rows are made one way only, and one
 * with a name is described once. For a list of thirty that is a fifth of what it costs this process.
 */
export class PostgresQuery extends pg.Query {
  declare readonly text: string;
  declare name: string | undefined;
  declare values: readonly SqlValue[] | undefined;
  declare callback: (error?: unknown) => void;
  private rowsSoFar: Record<string, unknown>[] = [];
  private shape?: RowShape;
  /** Whether the rows are those of the statement that is being run: there may be several in one text. */
  private isDescribed = false;
  private command = '';
  private changes = 0;

  private constructor(
    text: string,
    values: readonly SqlValue[],
    private readonly named: NamedStatement | undefined,
    done: (outcome: QueryOutcome) => void,
    failed: (error: unknown) => void,
  ) {
    super(text);
    this.name = named?.name;
    this.shape = named?.shape;
    if (values.length > 0 || named) this.values = values;
    this.callback = (error) => {
      if (error) failed(error);
      else done({ rows: this.rowsSoFar, changes: this.changes, command: this.command });
    };
  }

  /** Sends it on a connection; it is answered after all that was sent there before. */
  static run(
    client: ClientBase,
    text: string,
    values: readonly SqlValue[],
    named?: NamedStatement,
  ): Promise<QueryOutcome> {
    return new Promise((resolve, reject) => {
      client.query(new PostgresQuery(text, values, named, resolve, reject));
    });
  }

  /** As the driver does, for statements with values or a name. */
  prepare(connection: Connection): void {
    const { text, name, values = [] } = this;
    const to = connection as unknown as QueryConnection;
    if (!(this as unknown as { hasBeenParsed(to: QueryConnection): boolean }).hasBeenParsed(to)) {
      to.parse({ text, name });
      if (name !== undefined) to.submittedNamedStatements[name] = text;
    }
    to.bind({ statement: name, values, valueMapper: toWire });
    if (!this.shape) to.describe({ type: 'P', name: '' });
    to.execute({});
    to.sync();
  }

  handleRowDescription({ fields }: RowDescription): void {
    const names = fields.map(({ name }) => shownName(name));
    this.shape = {
      names,
      parsers: fields.map(({ dataTypeID }) => parserOf(dataTypeID)),
      blank: Object.fromEntries(names.map((name) => [name, null])),
    };
    this.rowsSoFar = [];
    this.isDescribed = true;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { names, parsers, blank } = this.shape!;
    const row: Record<string, unknown> = { ...blank };
    for (let at = 0; at < fields.length; at++) {
      const text = fields[at]!;
      if (text !== null) row[names[at]!] = parsers[at]!(text);
    }
    this.rowsSoFar.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const { named } = this;
    if (named) named.shape ??= this.isDescribed ? this.shape : NO_ROWS;
    else if (!this.isDescribed) this.rowsSoFar = [];
    this.isDescribed = false;
    // INSERT 0 1, SELECT 30, CREATE TABLE
    const [command, ...counts] = text.split(' ');
    this.command = command!;
    this.changes = Number(counts.at(-1)) || 0;
  }

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: unknown): void {
    this.callback(error);
  }
}

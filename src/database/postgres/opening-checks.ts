import type { CompiledSql } from '../compiled-sql.js';
import { DatabaseError } from '../database.error.js';
import { reasonToRefuse } from '../own-tables.js';
import type { PostgresOptions } from './postgres-options.js';
import type { PostgresPool } from './postgres-pool.js';

/** The oldest server that has what the statements here use. */
const OLDEST_VERSION = 140_000;

/** A condition: true on a standby, or a server that was told so. */
export const IS_READ_ONLY = "pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean";

const VERSION: CompiledSql = {
  sql: "SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name, current_setting('server_encoding') AS encoding",
  params: [],
};

const SCHEMA: CompiledSql = {
  sql: `SELECT current_schema() AS name, has_schema_privilege(current_schema(), 'CREATE') AS creates, ${IS_READ_ONLY} AS reads`,
  params: [],
};

const TABLES: CompiledSql = {
  sql: "SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')",
  params: [],
};

/** Differs from database to database. */
const IDENTITY: CompiledSql = {
  sql: "SELECT (SELECT oid FROM pg_database WHERE datname = current_database()) || ' ' || pg_postmaster_start_time() AS database",
  params: [],
};

/** What is asked of a database that is being opened. */
interface OpeningConnections {
  read<Row>(statement: CompiledSql): Promise<Row[]>;
  empty(): Promise<void>;
}

/** Finds out whether a database may be used, before anything is made in it. */
export class OpeningChecks {
  constructor(
    private readonly database: OpeningConnections,
    private readonly pool: PostgresPool,
    private readonly options: PostgresOptions,
  ) {}

  /**
   * Rejects with a DatabaseError that says why it may not be used. What an interrupted filling has left is removed
   * where the database is to be filled.
   */
  async run(): Promise<void> {
    await this.requireKnownServer();
    if (this.pool.isBehindPooler) await this.requireSameDirectly();
    await this.requireOwn();
  }

  private async requireKnownServer(): Promise<void> {
    const [server] = await this.database.read<{ number: number; name: string; encoding: string }>(VERSION);
    const { number, name, encoding } = server!;
    if (number < OLDEST_VERSION)
      throw new DatabaseError('other', `PostgreSQL ${name} is too old; 14 is the oldest that will do`);
    if (encoding !== 'UTF8') throw new DatabaseError('other', `its encoding is ${encoding} and not UTF8`);
  }

  /** Does the other address lead to the same database? */
  private async requireSameDirectly(): Promise<void> {
    const [one] = await this.database.read<{ database: string }>(IDENTITY);
    const { rows } = await this.pool
      .directly((client) => client.query<{ database: string }>(IDENTITY.sql))
      .catch((error: Error) => {
        throw new DatabaseError(
          'refused',
          `DATABASE_DIRECT_URL cannot be used: ${error.message}`,
          {},
          { cause: error },
        );
      });
    if (one!.database !== rows[0]!.database)
      throw new DatabaseError('refused', 'DATABASE_DIRECT_URL leads to another database');
  }

  /** Is it empty, or made by this application? */
  private async requireOwn(): Promise<void> {
    const { ownTable, fills = false, isMarked = false } = this.options;
    if (ownTable === undefined) return;
    const [schema] = await this.database.read<{ name: string | null; creates: number | null; reads: number }>(SCHEMA);
    if (schema?.name == null) throw new DatabaseError('refused', 'the role has no schema it could use');
    const names = (await this.database.read<{ name: string }>(TABLES)).map(({ name }) => name);
    const objection = reasonToRefuse(names, { ownTable, fills });
    if (objection !== undefined) throw new DatabaseError('refused', objection);
    // A part that nobody will complete.
    if (fills && isMarked && names.length > 0) await this.database.empty();
    if (names.length === 0 && schema.reads)
      throw new DatabaseError('refused', 'it is empty, and its server only reads');
    if (names.length === 0 && !schema.creates)
      throw new DatabaseError('refused', `the role may not create tables in the schema ${schema.name}`);
  }
}

import type { ClientBase } from 'pg';
import { NamedStatement } from './postgres-query.js';
import { lruCache } from '../../kernel/lru-cache.js';

/** What the driver's connection knows; its declared type does not say so. */
interface ParsedStatements {
  readonly parsedStatements: Readonly<Record<string, string>>;
}

/** A text that comes this often will come again. */
const OFTEN = 3;
/** Names that a connection may know; each takes some memory of the server. */
const MOST = 500;
const COUNTED = 5_000;
const LONGEST = 20_000;

/**
 * Names of statements that come again and again: a connection that knows one has parsed it, and mostly planned it,
 * before. When there are too many of them, or tables have changed, all are forgotten with the connections that know
 * them.
 */
export class StatementNames {
  private generation = 0;
  private readonly names = new Map<string, NamedStatement>();
  private readonly uses = lruCache<string, number>(COUNTED);
  private readonly generationOf = new WeakMap<ClientBase, number>();

  /** The name that this connection may know the text by; undefined for one that is not worth it. */
  of(client: ClientBase, sql: string): NamedStatement | undefined {
    const named = this.names.get(sql) ?? this.given(sql);
    if (named && !this.generationOf.has(client)) this.generationOf.set(client, this.generation);
    return named;
  }

  /** As `of`, where the connection has parsed the text already. */
  known(client: ClientBase, sql: string): NamedStatement | undefined {
    const named = this.of(client, sql);
    const { parsedStatements } = (client as unknown as { readonly connection: ParsedStatements }).connection;
    return named && parsedStatements[named.name] !== undefined ? named : undefined;
  }

  /** Does a connection know names that nobody uses any more? */
  areOutdated(client: ClientBase): boolean {
    return (this.generationOf.get(client) ?? this.generation) !== this.generation;
  }

  forget(): void {
    this.generation++;
    this.names.clear();
    this.uses.clear();
  }

  private given(sql: string): NamedStatement | undefined {
    const uses = (this.uses.get(sql) ?? 0) + 1;
    this.uses.set(sql, uses);
    if (uses < OFTEN || sql.length > LONGEST || !/^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(sql))
      return undefined;
    if (this.names.size >= MOST) this.forget();
    const named = new NamedStatement(`roost_${this.generation}_${this.names.size}`);
    this.names.set(sql, named);
    return named;
  }
}

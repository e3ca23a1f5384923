import { callbackify } from 'node:util';
import type pg from 'pg';
import { urlsOf } from '../../config/database-hosts.js';
import { addressOf } from './postgres-address.js';

type Driver = typeof pg;

/** Milliseconds for a look at one of several servers. */
const PATIENCE = 3_000;

/** A connection to the database; where its address names several servers, to the one that takes changes. */
export function newClient(driver: Driver, url: string, options: pg.ClientConfig = {}): pg.Client {
  return new (clientsOf(driver, url))({ ...addressOf(url), ...options });
}

/** Such connections that are shared. */
export function newPool(driver: Driver, url: string, options: pg.PoolConfig): pg.Pool {
  return new driver.Pool({ ...addressOf(url), ...options, Client: clientsOf(driver, url) });
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** What a client of the driver goes by; its declared type says that nobody changes it. */
interface Movable {
  host: string;
  port: number;
}

function clientsOf(driver: Driver, url: string): Driver['Client'] {
  const urls = urlsOf(url);
  if (urls.length === 1) return driver.Client;
  const servers = new Servers(driver, urls);
  return class ClientOfSeveral extends driver.Client {
    override connect(): Promise<pg.Client>;
    override connect(tell: (error: Error) => void): void;
    override connect(tell?: (error: Error) => void): Promise<pg.Client> | void {
      const connecting = servers.choose().then((place) => {
        Object.assign(this as unknown as Movable, place);
        return super.connect();
      });
      if (!tell) return connecting;
      callbackify(() => connecting)(tell);
    }
  };
}

/** The servers of one database: one takes changes, the others follow it and may take its place. */
class Servers {
  /** The one that was chosen before is asked first. */
  private first = 0;

  constructor(
    private readonly driver: Driver,
    private readonly urls: readonly string[],
  ) {}

  /** Where there is none that takes changes, one that can be read. Rejects when nobody answers. */
  async choose(): Promise<Place> {
    let readable: Place | undefined;
    let failure: unknown;
    for (let index = 0; index < this.urls.length; index++) {
      const at = (this.first + index) % this.urls.length;
      try {
        const { place, onlyReads } = await this.lookAt(this.urls[at]!);
        if (onlyReads) readable ??= place;
        else {
          this.first = at;
          return place;
        }
      } catch (error) {
        failure ??= error;
      }
    }
    if (readable) return readable;
    throw failure;
  }

  private async lookAt(url: string): Promise<{ readonly place: Place; readonly onlyReads: boolean }> {
    const client = new this.driver.Client({
      ...addressOf(url),
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ reads: boolean }>('SELECT pg_is_in_recovery() AS reads');
      return { place: { host: client.host, port: client.port }, onlyReads: rows[0]!.reads };
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

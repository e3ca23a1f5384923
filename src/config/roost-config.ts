/** DI token of the RoostConfig. */
export const ROOST_CONFIG = Symbol('ROOST_CONFIG');

/** DI token of the Clock of this application. */
export const CLOCK = Symbol('CLOCK');

/** DI token of the MonotonicClock: for durations that must end even when the system clock is set back. */
export const MONOTONIC_CLOCK = Symbol('MONOTONIC_CLOCK');

export type DatabaseDriver = 'better-sqlite3' | 'sqlite3';

/** How this process was started: flags, environment and defaults, read once (OPS-162) and frozen. */
export interface RoostConfig {
  /** Listen address `host:port`. */
  readonly http: string;
  readonly https: string | null;
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  /** Absolute path of the data directory. */
  readonly dir: string;
  readonly dev: boolean;
  /** Allowed CORS origins; `*` and `?` are wildcards inside an entry. */
  readonly origins: readonly string[];
  /** The 32 byte key settings are encrypted with; null stores them in plain text. */
  readonly encryptionKey: string | null;
  readonly publicDir: string;
  readonly indexFallback: boolean;
  readonly migrationsDir: string;
  /** False where `migrationsDir` is the default, which need not exist. */
  readonly migrationsDirGiven: boolean;
  readonly automigrate: boolean;
  /** Processes that serve together; `auto` is one for each processor. */
  readonly workers: number | 'auto';
  /** Seconds a reading query of a request may take. */
  readonly queryTimeout: number;
  /** Seconds in which a request with its body has to arrive. */
  readonly bodyTimeout: number;
  /** Accepted for those who have set it; the token is always required (AUTH-1208). */
  readonly setupTokenRequired: boolean;
  /** Where PostgreSQL is; null is SQLite in the data directory. It holds a password. */
  readonly databaseUrl: string | null;
  /** Where the database itself is, when `databaseUrl` is the address of a pooler. */
  readonly databaseDirectUrl: string | null;
  /** Connections to PostgreSQL, at most. */
  readonly databasePool: number;
  /** Where Redis is, which several processes share; null is none. It holds a password. */
  readonly redisUrl: string | null;
  /** What the names of keys and channels in Redis begin with. */
  readonly redisPrefix: string;
  /** Whether other processes serve the same database, which then carries what they share unless there is Redis. */
  readonly shared: boolean;
  /** Whether all instances see the same directory of files. */
  readonly sharedStorage: boolean;
  /** Of SQLite. */
  readonly databaseDriver: DatabaseDriver;
  /** Seconds a shutdown waits for running work. */
  readonly shutdownTimeout: number;
  /** Seconds between keep-alive comments of a stream; 0 is off. */
  readonly realtimeKeepalive: number;
  readonly realtimeIpCheck: boolean;
  /** Most open streams; 0 is no limit. */
  readonly realtimeMaxClients: number;
  readonly thumbsMaxWorkers: number;
  /** Seconds a thumbnail request waits for its turn. */
  readonly thumbsMaxWait: number;
  readonly filesDeleteMaxWorkers: number;
  readonly sqlConsole: boolean;
  readonly unsafeNoLock: boolean;
  /** Seconds of leeway for the times of id tokens. */
  readonly idTokenLeeway: number;
  readonly allowPrivateFetch: boolean;
}

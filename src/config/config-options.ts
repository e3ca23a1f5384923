import type { RoostConfig } from './roost-config.js';

/** How the text of a flag or variable becomes a value. */
export type ConfigKind =
  | 'boolean'
  | 'seconds'
  | 'count'
  | 'workers'
  | 'list'
  | 'address'
  | 'path'
  | 'driver'
  | 'database'
  | 'redis'
  | 'prefix'
  | 'environment name';

/** One option of the process: set by flag, by environment variable, by `.env`, else its default. */
export interface ConfigOption {
  readonly key: keyof RoostConfig;
  readonly kind: ConfigKind;
  /** Without the dashes; null when there is only a variable. */
  readonly flag: string | null;
  readonly variable: string;
  /** As it would be written in `.env`; '' is none. */
  readonly default: string;
  readonly help: string;
  /** True for flags that only mean something to `serve`. */
  readonly serveOnly?: boolean;
}

/** Every option, in the order of `--help`, `.env.example` and the configuration reference. */
export const CONFIG_OPTIONS: readonly ConfigOption[] = [
  {
    key: 'http',
    kind: 'address',
    flag: 'http',
    variable: 'ROOST_HTTP',
    default: '127.0.0.1:8090',
    help: 'listen address host:port; ":8090" is all interfaces, port 0 any free port',
    serveOnly: true,
  },
  {
    key: 'https',
    kind: 'address',
    flag: 'https',
    variable: 'ROOST_HTTPS',
    default: '',
    help: 'TLS listen address host:port; the http one then redirects to it',
    serveOnly: true,
  },
  {
    key: 'tlsCert',
    kind: 'path',
    flag: 'tlsCert',
    variable: 'ROOST_TLS_CERT',
    default: '',
    help: 'PEM file with the certificate for --https',
    serveOnly: true,
  },
  {
    key: 'tlsKey',
    kind: 'path',
    flag: 'tlsKey',
    variable: 'ROOST_TLS_KEY',
    default: '',
    help: 'PEM file with the private key for --https',
    serveOnly: true,
  },
  {
    key: 'dir',
    kind: 'path',
    flag: 'dir',
    variable: 'ROOST_DIR',
    default: './roost_data',
    help: 'data directory, created when missing',
  },
  {
    key: 'dev',
    kind: 'boolean',
    flag: 'dev',
    variable: 'ROOST_DEV',
    default: 'false',
    help: 'development mode: console log, SQL log, detailed errors; not for production',
  },
  {
    key: 'origins',
    kind: 'list',
    flag: 'origins',
    variable: 'ROOST_ORIGINS',
    default: '*',
    help: 'allowed CORS origins, comma-separated, "*" and "?" are wildcards',
    serveOnly: true,
  },
  {
    key: 'encryptionKey',
    kind: 'environment name',
    flag: 'encryptionEnv',
    variable: 'ROOST_ENCRYPTION_ENV',
    default: '',
    help: 'name of the environment variable that holds the 32 character key settings are encrypted with',
  },
  {
    key: 'publicDir',
    kind: 'path',
    flag: 'publicDir',
    variable: 'ROOST_PUBLIC_DIR',
    default: './public',
    help: 'directory of static files, served where no route is',
    serveOnly: true,
  },
  {
    key: 'indexFallback',
    kind: 'boolean',
    flag: 'indexFallback',
    variable: 'ROOST_INDEX_FALLBACK',
    default: 'true',
    help: 'answer missing static paths with the root index.html',
    serveOnly: true,
  },
  {
    key: 'migrationsDir',
    kind: 'path',
    flag: 'migrationsDir',
    variable: 'ROOST_MIGRATIONS_DIR',
    default: '<dir>/../roost_migrations',
    help: "directory of the application's own migrations",
  },
  {
    key: 'automigrate',
    kind: 'boolean',
    flag: 'automigrate',
    variable: 'ROOST_AUTOMIGRATE',
    default: 'true with --dev, else false',
    help: 'write a migration file for every change of a collection',
    serveOnly: true,
  },
  {
    key: 'workers',
    kind: 'workers',
    flag: 'workers',
    variable: 'ROOST_WORKERS',
    default: '1',
    help: 'processes that serve together on this machine; "auto" is one for each processor',
    serveOnly: true,
  },
  {
    key: 'queryTimeout',
    kind: 'seconds',
    flag: 'queryTimeout',
    variable: 'ROOST_QUERY_TIMEOUT',
    default: '30',
    help: 'longest reading query of a request, in seconds',
    serveOnly: true,
  },
  {
    key: 'bodyTimeout',
    kind: 'seconds',
    flag: 'bodyTimeout',
    variable: 'ROOST_BODY_TIMEOUT',
    default: '300',
    help: 'longest time in which a request with its body has to arrive, in seconds',
    serveOnly: true,
  },
  {
    key: 'setupTokenRequired',
    kind: 'boolean',
    flag: 'setup-token',
    variable: 'ROOST_SETUP_TOKEN_REQUIRED',
    default: 'false',
    help: 'without effect: the first superuser always takes the printed token',
    serveOnly: true,
  },
  {
    key: 'databaseUrl',
    kind: 'database',
    flag: null,
    variable: 'DATABASE_URL',
    default: '',
    help: 'postgres://user:password@host:port/database?sslmode=…, several servers as host:port,host:port; empty is SQLite in the data directory',
  },
  {
    key: 'databaseDirectUrl',
    kind: 'database',
    flag: null,
    variable: 'DATABASE_DIRECT_URL',
    default: '',
    help: 'where DATABASE_URL is that of a pooler in transaction mode: the address of the database itself',
  },
  {
    key: 'databasePool',
    kind: 'count',
    flag: null,
    variable: 'DATABASE_POOL',
    default: '10',
    help: 'most connections to PostgreSQL at the same time; two more are for the log',
  },
  {
    key: 'redisUrl',
    kind: 'redis',
    flag: null,
    variable: 'REDIS_URL',
    default: '',
    help: 'redis://user:password@host:port/number, rediss:// with TLS: limits, throttles and events of all instances',
  },
  {
    key: 'redisPrefix',
    kind: 'prefix',
    flag: null,
    variable: 'REDIS_PREFIX',
    default: 'roost',
    help: 'what the names of keys and channels in Redis begin with; one for each application',
  },
  {
    key: 'shared',
    kind: 'boolean',
    flag: 'shared',
    variable: 'ROOST_SHARED',
    default: 'false',
    help: 'one of several instances on one PostgreSQL database, which counts for all of them unless there is Redis',
    serveOnly: true,
  },
  {
    key: 'sharedStorage',
    kind: 'boolean',
    flag: 'sharedStorage',
    variable: 'ROOST_SHARED_STORAGE',
    default: 'false',
    help: 'the folder "storage" of the data directory is the same one for all instances: a mounted directory, say',
    serveOnly: true,
  },
  {
    key: 'databaseDriver',
    kind: 'driver',
    flag: null,
    variable: 'DATABASE_DRIVER',
    default: 'better-sqlite3',
    help: 'better-sqlite3, or sqlite3: slower, and rounds integers beyond 2^53',
  },
  {
    key: 'shutdownTimeout',
    kind: 'seconds',
    flag: null,
    variable: 'ROOST_SHUTDOWN_TIMEOUT',
    default: '10',
    help: 'seconds a stop waits for running requests and jobs',
  },
  {
    key: 'realtimeKeepalive',
    kind: 'seconds',
    flag: null,
    variable: 'ROOST_REALTIME_KEEPALIVE',
    default: '30',
    help: 'seconds between keep-alive comments on a realtime stream, 0 is off',
  },
  {
    key: 'realtimeIpCheck',
    kind: 'boolean',
    flag: null,
    variable: 'ROOST_REALTIME_IP_CHECK',
    default: 'true',
    help: 'refuse subscriptions from another address than the stream came from',
  },
  {
    key: 'realtimeMaxClients',
    kind: 'count',
    flag: null,
    variable: 'ROOST_REALTIME_MAX_CLIENTS',
    default: '0',
    help: 'most open realtime streams, 0 is no limit',
  },
  {
    key: 'thumbsMaxWorkers',
    kind: 'count',
    flag: null,
    variable: 'ROOST_THUMBS_MAX_WORKERS',
    default: '',
    help: 'thumbnails made at the same time (number of processors + 2 when empty)',
  },
  {
    key: 'thumbsMaxWait',
    kind: 'seconds',
    flag: null,
    variable: 'ROOST_THUMBS_MAX_WAIT',
    default: '60',
    help: 'seconds a thumbnail request waits for its turn before it gets the original',
  },
  {
    key: 'filesDeleteMaxWorkers',
    kind: 'count',
    flag: null,
    variable: 'ROOST_FILES_DELETE_MAX_WORKERS',
    default: '50',
    help: 'folders of deleted records that are emptied at the same time',
  },
  {
    key: 'sqlConsole',
    kind: 'boolean',
    flag: null,
    variable: 'ROOST_SQL_CONSOLE',
    default: 'true',
    help: 'the SQL console of the admin UI; "off" removes it',
  },
  {
    key: 'unsafeNoLock',
    kind: 'boolean',
    flag: null,
    variable: 'ROOST_UNSAFE_NO_LOCK',
    default: 'false',
    help: 'start on a file system without locks; two processes on one directory will destroy it',
  },
  {
    key: 'idTokenLeeway',
    kind: 'seconds',
    flag: null,
    variable: 'ROOST_ID_TOKEN_LEEWAY',
    default: '300',
    help: 'seconds of tolerance for the times in OAuth2 id tokens',
  },
  {
    key: 'allowPrivateFetch',
    kind: 'boolean',
    flag: null,
    variable: 'ROOST_ALLOW_PRIVATE_FETCH',
    default: 'false',
    help: 'let avatar downloads reach private addresses; for tests only',
  },
];

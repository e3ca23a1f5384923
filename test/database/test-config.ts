import type { RoostConfig } from '../../src/config/roost-config.js';

/** A configuration for this data directory, on the driver the tests run with. */
export function testConfig(dir: string, changes: Partial<RoostConfig> = {}): RoostConfig {
  return {
    http: '127.0.0.1:0',
    https: null,
    tlsCert: null,
    tlsKey: null,
    dir,
    dev: false,
    origins: ['*'],
    encryptionKey: null,
    publicDir: '/nonexistent',
    indexFallback: true,
    migrationsDir: '/nonexistent',
    migrationsDirGiven: false,
    automigrate: false,
    queryTimeout: 30,
    bodyTimeout: 300,
    setupTokenRequired: false,
    databaseUrl: null,
    databaseDirectUrl: null,
    databasePool: 10,
    databaseDriver: process.env.DATABASE_DRIVER === 'sqlite3' ? 'sqlite3' : 'better-sqlite3',
    shutdownTimeout: 10,
    realtimeKeepalive: 0,
    realtimeIpCheck: false,
    realtimeMaxClients: 0,
    thumbsMaxWorkers: 1,
    thumbsMaxWait: 1,
    filesDeleteMaxWorkers: 1,
    sqlConsole: true,
    unsafeNoLock: false,
    idTokenLeeway: 0,
    allowPrivateFetch: false,
    ...changes,
  };
}

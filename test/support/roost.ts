import { createTestRoost, type TestRoost, type TestRoostOptions } from '../../src/testing/index.js';
import { CLUSTER, configFor, databaseFor, dropDatabase } from './postgres-databases.js';
import { watchForSecrets } from './secrets/watch-roost.js';

/** A test application with the database this run of the suite is for, watched for secrets it tells. */
export async function startRoost(options: TestRoostOptions = {}): Promise<TestRoost> {
  if (CLUSTER !== undefined && options.config?.['DATABASE_URL'] === undefined) return startOnPostgres(options);
  const driver = process.env['DATABASE_DRIVER'];
  const config = { ...(driver ? { DATABASE_DRIVER: driver } : {}), ...options.config };
  return watchForSecrets(await createTestRoost({ ...options, config }));
}

/**
 * The environment of another application on a data directory: which database it has where the suite is on PostgreSQL.
 */
export async function databaseOf(dir: string): Promise<Record<string, string>> {
  return CLUSTER === undefined ? {} : { DATABASE_URL: await databaseFor(dir) };
}

/** On a database of its own; applications on the same data directory have the same one, one after another. */
async function startOnPostgres(options: TestRoostOptions): Promise<TestRoost> {
  const url = await databaseFor(options.dir);
  const roost = await createTestRoost({ ...options, config: { ...configFor(url), ...options.config } });
  if (options.dir === undefined) {
    const close = roost.close.bind(roost);
    roost.close = async () => {
      await close();
      await dropDatabase(url);
    };
  }
  return watchForSecrets(roost);
}

import { createTestRoost, type TestRoost, type TestRoostOptions } from '../../src/testing/index.js';
import { watchForSecrets } from './secrets/watch-roost.js';

/** A test application with the database driver this run of the suite is for, watched for secrets it tells. */
export async function startRoost(options: TestRoostOptions = {}): Promise<TestRoost> {
  const driver = process.env['DATABASE_DRIVER'];
  const config = { ...(driver ? { DATABASE_DRIVER: driver } : {}), ...options.config };
  return watchForSecrets(await createTestRoost({ ...options, config }));
}

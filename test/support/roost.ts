import { createTestRoost, type TestRoost, type TestRoostOptions } from '../../src/testing/index.js';

/** A test application with the database driver this run of the suite is for. */
export function startRoost(options: TestRoostOptions = {}): Promise<TestRoost> {
  const driver = process.env['DATABASE_DRIVER'];
  return createTestRoost({ ...options, config: { ...(driver ? { DATABASE_DRIVER: driver } : {}), ...options.config } });
}

import { createRequire } from 'node:module';
import { MissingDriverError } from './missing-driver.error.js';

/** Loads the npm package of a driver. Throws a MissingDriverError. */
export function loadDriver<Driver>(packageName: string): Driver {
  try {
    return createRequire(import.meta.url)(packageName) as Driver;
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    const advice =
      'npm leaves a driver out that it can neither download nor build: install python3, make and g++, then run "npm ci" ' +
      'again. From Node.js 24 on, the default driver needs none of that.';
    throw new MissingDriverError(`The SQLite driver cannot be loaded: ${reason}. ${advice}`, { cause: error });
  }
}

import { createRequire } from 'node:module';
import { MissingDriverError } from './missing-driver.error.js';

/** Loads the npm package of a driver, and with `use` what it loads later. Throws a MissingDriverError. */
export function loadDriver<Driver>(packageName: string, use: (driver: Driver) => void = () => undefined): Driver {
  try {
    const driver = createRequire(import.meta.url)(packageName) as Driver;
    use(driver);
    return driver;
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('\n');
    throw new MissingDriverError(
      `The SQLite driver cannot be loaded: ${reason.replace(/\.( Tried:)?$/, '')}. npm leaves it out, or the native ` +
        'part of it, where it can neither download nor build it for this version of Node.js: install python3, make ' +
        'and g++, then run "npm ci" again.',
      { cause: error },
    );
  }
}

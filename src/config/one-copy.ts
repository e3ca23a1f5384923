import { realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { sharedPackages } from './package-info.js';
import { StartError } from './start.error.js';

/** The folder of this package's code, `dist` or `src`. */
const HERE = fileURLToPath(new URL('..', import.meta.url));

/**
 * Refuses to start when the program has another copy of Nest, TypeORM or another shared package than Roost: tokens and
 * metadata of one copy are unknown to the other, and the resulting errors are hard to understand (EXT-52). `program` is
 * the file that Node was started with.
 */
export function requireOneCopy(program = ''): void {
  const file = [program, `${program}.js`].find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  // Code given on the command line is in no folder, and our own programs use our packages.
  if (file === undefined || realpathSync(file).startsWith(HERE)) return;
  const ours = createRequire(import.meta.url);
  const theirs = createRequire(realpathSync(file));
  for (const name of sharedPackages()) {
    const [here, there] = [find(ours, name), find(theirs, name)];
    // A program may not have a package at all.
    if (here === undefined || there === undefined || here === there) continue;
    throw new StartError(
      `There are two copies of ${name}, and nothing of one works in the other. Roost has ${here}, your program ` +
        `${there}. Install one version of it.`,
    );
  }
}

function find(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

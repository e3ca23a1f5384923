import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

/** What has been loaded of the program: for the build, which keeps what V8 has compiled of it (`keep-compiled.mjs`). */
export const scripts = new Map<string, Script>();

const FOLDER = join(import.meta.dirname, 'program');

const modules = new Map<string, { exports: object }>();

/**
 * Loads a file of the bundled program (`bundle.mjs`) with the code that V8 compiled of it when it was built, and need not
 * read all of the text again. Another version of Node, or one with other flags for V8, does that as always.
 */
export function load(file: string): object {
  const path = join(FOLDER, file);
  const known = modules.get(path);
  if (known) return known.exports;
  const module = { exports: {} };
  modules.set(path, module);
  const script = new Script(readFileSync(path, 'latin1'), { filename: path, cachedData: compiledCode(path) });
  scripts.set(path, script);
  const outside = createRequire(path);
  const require = (id: string): unknown => (id.startsWith('./') ? load(id) : outside(id));
  const run = script.runInThisContext() as (...given: unknown[]) => void;
  const Import = (id: string): Promise<unknown> => import(id);
  const { exports } = module;
  run.call(exports, exports, Object.assign(require, outside), module, path, FOLDER, Import);
  return module.exports;
}

/** None after `nest build` and `bundle.mjs` alone. */
function compiledCode(path: string): Buffer | undefined {
  try {
    return readFileSync(`${path}.code`);
  } catch {
    return undefined;
  }
}

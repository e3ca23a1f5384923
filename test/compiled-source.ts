import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Plugin, transformWithOxc } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src');
const MIGRATIONS = join(ROOT, 'migrations');
const CONFIG = join(ROOT, 'tsconfig.json');

/** Laid out as `dist` is, and beside it: programs find each other and the package by where they are. */
const COMPILED = join(ROOT, '.compiled');

/** The admin UI is tested as what its tests import, file by file, and built for the browser. */
const CLIENT = join(SOURCE, 'admin/client');

/** By this page the server tells that there is an admin UI. */
const PAGE = join(CLIENT, 'index.html');

/** The build and its parts, which are run as they are. */
const NO_PART = new Set([join(SOURCE, 'bundle.mjs'), join(SOURCE, 'admin/docs/render-docs.mjs')]);

/**
 * Has specs import the server's modules as Node does, compiled. Vitest would compile and evaluate a thousand of them in
 * each process that runs specs, and every name that they import from each other would be a look-up while they run: six
 * seconds of processor time for each process, and a fifth of what follows.
 */
export async function compiledSource(): Promise<Plugin> {
  await compileAll();
  return {
    name: 'compiled-source',
    enforce: 'pre',
    resolveId(id, importer) {
      const path = id.startsWith('.') && importer !== undefined ? join(dirname(importer), id) : id;
      return compiledFileOf(path.replace(/\.js$/, '.ts'));
    },
  };
}

/** Where the compiled form of a file is; undefined for specs, the admin UI, and everything that is not the server's. */
function compiledFileOf(path: string): string | undefined {
  const isServer = path.startsWith(`${SOURCE}/`) && (!path.startsWith(`${CLIENT}/`) || path === PAGE);
  if (!isServer && !path.startsWith(`${MIGRATIONS}/`)) return undefined;
  if (!/(?<!\.spec(?:-support)?)\.(?:ts|mjs|html)$/.test(path) || NO_PART.has(path) || !existsSync(path))
    return undefined;
  return join(COMPILED, relative(isServer ? SOURCE : ROOT, path)).replace(/\.ts$/, '.js');
}

/** Compiles what has changed since the last run. Runs at the same time do not see half of a file. */
async function compileAll(): Promise<void> {
  const parts = new Map<string, string>();
  for (const path of [...filesIn(SOURCE), ...filesIn(MIGRATIONS)]) {
    const file = compiledFileOf(path);
    if (file !== undefined) parts.set(file, path);
  }
  const changed = [...parts].filter(([file, path]) => !isNewer(file, path));
  for (const [file, path] of changed) {
    mkdirSync(dirname(file), { recursive: true });
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, await compiled(path));
    renameSync(temporary, file);
  }
  for (const file of filesIn(COMPILED))
    if (/\.(?:m?js|html)$/.test(file) && !parts.has(file)) rmSync(file, { force: true });
}

/** Leaves types alone, which are checked on their own. Decorators tell Nest the types of parameters, as tsconfig.json has it. */
async function compiled(path: string): Promise<string> {
  const text = readFileSync(path, 'utf8');
  if (!path.endsWith('.ts')) return text;
  const { code } = await transformWithOxc(text, path, {
    tsconfig: false,
    target: 'es2023',
    sourcemap: false,
    decorator: { legacy: true, emitDecoratorMetadata: true },
  });
  return code;
}

/** Whether it was made after its source, and after what decides how it is made. */
function isNewer(file: string, path: string): boolean {
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return [path, CONFIG, import.meta.filename].every((each) => statSync(each).mtimeMs < made);
}

function filesIn(directory: string): string[] {
  const entries = existsSync(directory) ? readdirSync(directory, { recursive: true, withFileTypes: true }) : [];
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

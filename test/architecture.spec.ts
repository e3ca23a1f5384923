import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** Folders by layer: a folder may import from folders of lower layers and from itself. */
const LAYERS: readonly (readonly string[])[] = [
  ['kernel'],
  ['config'],
  ['instances', 'processes'],
  ['http'],
  ['database', 'sse'],
  ['ephemeral'],
  ['hooks', 'events'],
  ['settings', 'tokens', 'passwords', 'collections'],
  ['storage', 'mail', 'rate-limits', 'transfer'],
  ['records'],
  [
    'auth',
    'files',
    'realtime',
    'batch',
    'logs',
    'backups',
    'crons',
    'health',
    'insights',
    'user-migrations',
    'sql-console',
    'public-files',
    'pocketbase-import',
    'openapi',
    'admin',
  ],
  ['cli'],
  [
    'roost.module.ts',
    'cluster-link-of.ts',
    'roost-options.ts',
    'assemble-roost.ts',
    'create-roost.ts',
    'this-process.ts',
    'supervise.ts',
    'run-roost.ts',
  ],
  ['testing', 'index.ts', 'load-program.ts', 'main.ts'],
];

/** Libraries without I/O that the kernel may stand on. */
const PURE_LIBRARIES = [
  'node:crypto',
  'node:path',
  'node:net',
  'node:zlib',
  're2js',
  'file-type/core',
  'chardet',
  'ipaddr.js',
  'htmlparser2',
  'lru-cache',
];

/** Where SQL is the subject, and not a statement to be run; with the reason. */
const ABOUT_SQL: Readonly<Record<string, string>> = {
  'kernel/collections': 'reads the queries of views and the definitions of indexes, which people write in SQL',
  'kernel/fields/check-field-definition.ts': 'keeps the name of the row id free, on every database',
  'collections/index-checks.ts': 'says that a text is no definition of an index',
  'user-migrations/migration-text.ts': 'writes migrations of teams, in which tables are made anew as SQLite needs it',
  'pocketbase-import/pocketbase-source.ts': 'reads the files of another product, which are SQLite whatever we use',
};

/** Words that only a statement has, and names that only one database knows. */
const SQL = new RegExp(
  [
    /\b(SELECT|WHERE|COLLATE|PRAGMA|SAVEPOINT|VACUUM|RETURNING|LIMIT)\b/,
    /\b(INSERT INTO|DELETE FROM|ORDER BY|GROUP BY|UNION ALL|UPDATE ["`$]|(CREATE|ALTER|DROP) (UNIQUE )?(TABLE|INDEX|VIEW))/,
    /\b(json_each|json_valid|json_type|json_extract|jsonb_\w+|_rowid_|sqlite_\w+|pg_\w+|pragma_\w+)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

function sourceFiles(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return relative(SRC, path) === join('admin', 'client') ? [] : sourceFiles(path);
    return entry.name.endsWith('.ts') && !/\.spec(-support)?\.ts$/.test(entry.name) ? [path] : [];
  });
}

const files = sourceFiles(SRC);
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));

const importsOf = (file: string) => importsIn(file, texts.get(file)!);

function importsIn(file: string, text: string): Import[] {
  const found: Import[] = [];
  const pattern =
    /^\s*(?:import|export)\s+(type\s+)?(?:[^'"();]*?\sfrom\s+)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm;
  for (const match of text.matchAll(pattern)) {
    found.push({ file, target: match[2] ?? match[3]!, typeOnly: match[1] !== undefined });
  }
  return found;
}

const imports = files.flatMap(importsOf);

const CLIENT = join(SRC, 'admin', 'client');

function clientFiles(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return clientFiles(path);
    return /(?<!\.spec|\.d)\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** The circles in a graph of files, as paths that end where they begin. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) {
      cycles.push([...path.slice(at), file].map((step) => relative(SRC, step)).join(' > '));
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

/** The texts of string literals and templates, each template as one. */
function stringsOf(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    else if (ts.isTemplateExpression(node)) found.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, texts.get(file)!, ts.ScriptTarget.Latest, true));
  return found;
}

function toSource(entry: Import): string | undefined {
  if (!entry.target.startsWith('.')) return undefined;
  return resolve(dirname(entry.file), entry.target).replace(/\.js$/, '.ts');
}

function folderOf(file: string): string {
  return relative(SRC, file).split('/')[0]!;
}

function layerOf(file: string): number {
  return LAYERS.findIndex((layer) => layer.includes(folderOf(file)));
}

describe('the architecture', () => {
  it('knows the layer of every source file', () => {
    expect(files.filter((file) => layerOf(file) < 0).map((file) => relative(SRC, file))).toEqual([]);
    expect(files.length).toBeGreaterThan(100);
  });

  it('imports only downwards', () => {
    const wrong = imports.flatMap((entry) => {
      const source = toSource(entry);
      if (!source || !texts.has(source)) return [];
      const from = layerOf(entry.file);
      const to = layerOf(source);
      const sameFolder = folderOf(entry.file) === folderOf(source);
      const topLevel = from >= LAYERS.length - 2 && from === to;
      return to < from || sameFolder || topLevel
        ? []
        : [`${relative(SRC, entry.file)} imports ${relative(SRC, source)}`];
    });
    expect(wrong).toEqual([]);
  });

  it('has no import cycles', () => {
    const graph = new Map<string, string[]>();
    for (const entry of imports) {
      const source = toSource(entry);
      if (source && texts.has(source) && !entry.typeOnly) {
        graph.set(entry.file, [...(graph.get(entry.file) ?? []), source]);
      }
    }
    expect(cyclesOf(graph)).toEqual([]);
  });

  it('has no import cycles in the client of the admin UI, by types and by what is fetched later neither', () => {
    const client = clientFiles(CLIENT);
    const graph = new Map(
      client.map((file) => {
        const targets = importsIn(file, readFileSync(file, 'utf8')).flatMap(({ target }) =>
          target.startsWith('.') ? [resolve(dirname(file), target).replace(/\.js$/, '')] : [],
        );
        return [file, client.filter((each) => targets.includes(each.replace(/\.tsx?$/, '')))];
      }),
    );
    expect(client.length).toBeGreaterThan(100);
    expect(cyclesOf(graph)).toEqual([]);
  });

  it('needs no forwardRef', () => {
    expect(files.filter((file) => /\bforwardRef\s*\(/.test(texts.get(file)!))).toEqual([]);
  });

  it('keeps the kernel pure', () => {
    const kernel = files.filter((file) => folderOf(file) === 'kernel');
    const libraries = imports
      .filter((entry) => folderOf(entry.file) === 'kernel' && !entry.target.startsWith('.') && !entry.typeOnly)
      .filter((entry) => !PURE_LIBRARIES.includes(entry.target))
      .map((entry) => `${relative(SRC, entry.file)} imports ${entry.target}`);
    const impure = kernel
      .filter((file) => /\bprocess\.|\bDate\.now\(|\bnew Date\(\)/.test(texts.get(file)!))
      .map((file) => relative(SRC, file));
    expect(libraries).toEqual([]);
    expect(impure).toEqual([]);
  });

  it('reads the process in one place', () => {
    const readers = files
      .filter((file) => /\bprocess\.(env|argv|cwd)\b/.test(texts.get(file)!))
      .map((file) => relative(SRC, file));
    expect(readers.sort()).toEqual(['this-process.ts']);
  });

  it('names databases only in the database layer and the two compilers', () => {
    const named = files
      .filter((file) => !['database', 'config'].includes(folderOf(file)) && !file.includes('/kernel/sql/'))
      .filter((file) => /from '(better-sqlite3|sqlite3|pg)'/.test(texts.get(file)!))
      .map((file) => relative(SRC, file));
    expect(named).toEqual([]);
  });

  it('SCALE-11 has SQL in strings only where a database puts statements into words', () => {
    const found = files
      .filter((file) => folderOf(file) !== 'database' && !/kernel\/sql\/(sql|sqlite|postgres)-compiler\.ts$/.test(file))
      .flatMap((file) => {
        const name = relative(SRC, file);
        const isAbout = Object.keys(ABOUT_SQL).some((path) => name === path || name.startsWith(`${path}/`));
        return isAbout ? [] : stringsOf(file).flatMap((text) => (SQL.test(text) ? [`${name}: ${text}`] : []));
      });
    expect(found).toEqual([]);
  });

  it('SCALE-11 excuses nobody who has no SQL', () => {
    const idle = Object.keys(ABOUT_SQL).filter((path) => {
      const named = files.filter((file) => `${relative(SRC, file)}/`.startsWith(`${path}/`));
      return !named.some((file) => stringsOf(file).some((text) => SQL.test(text)));
    });
    expect(idle).toEqual([]);
  });
});

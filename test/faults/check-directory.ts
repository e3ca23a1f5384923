import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { BackupsService } from '../../src/backups/backups.service.js';
import { FileRemovals } from '../../src/storage/file-removals.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { Sqlite } from '../support/sqlite.js';
import { type Expected, WITH_FILES, type Group, type KnownRecord, PAIR, type Shape, WIDE_ROWS } from './workload.js';

/** Starts on what a killed process left, stops again, and tells everything that is not as it must be. */
export function faultsOf(dir: string, expected: Expected): Promise<string[]> {
  return faultsAfter(dir, expected, () => Promise.resolve());
}

/**
 * Restores a backup into a directory and tells what does not fit together. Files of records that came while the backup
 * was made may be in it.
 */
export function faultsOfBackup(dir: string, path: string): Promise<string[]> {
  return faultsAfter(dir, undefined, (roost) => roost.app.get(BackupsService, { strict: false }).restoreFile(path));
}

async function faultsAfter(
  dir: string,
  expected: Expected | undefined,
  work: (roost: TestRoost) => Promise<unknown>,
): Promise<string[]> {
  const roost = await startRoost({ dir });
  try {
    await work(roost);
    await roost.app.get(FileRemovals, { strict: false }).idle();
  } finally {
    await roost.close();
  }
  const database = new Sqlite(join(dir, 'data.db'), { readonly: true });
  try {
    return new DirectoryCheck(dir, database).faults(expected);
  } finally {
    database.close();
  }
}

interface StoredRow {
  readonly id: string;
  readonly title: string;
  readonly attachment: string;
}

class DirectoryCheck {
  private readonly found: string[] = [];

  constructor(
    private readonly dir: string,
    private readonly database: InstanceType<typeof Sqlite>,
  ) {}

  faults(expected: Expected | undefined): string[] {
    this.expect(this.database.pragma('integrity_check', { simple: true }), 'ok', 'the integrity of the database');
    this.expect(this.values('SELECT name FROM _file_removals'), [], 'the files that are owed');
    this.expect(readdirSync(join(this.dir, '.temp')), [], 'what is left in .temp');
    const files = new Map<string, string>();
    const stored = this.storedRecords(files);
    if (expected) {
      for (const [told, asked] of expected.groups) this.checkGroup(stored, told, asked);
      this.expect([...stored.keys()], [], 'records that nobody asked for');
    }
    this.checkShape(expected?.shape);
    this.checkFiles(files, { mayBeMore: expected === undefined });
    return this.found;
  }

  /** The records of all groups, and the files that must be there with what is in them. */
  private storedRecords(files: Map<string, string>): Map<string, KnownRecord> {
    const records = new Map<string, KnownRecord>();
    for (const [collection, id] of this.collections()) {
      for (const row of this.database
        .prepare(`SELECT id, title, attachment FROM "${collection}"`)
        .all() as StoredRow[]) {
        if (row.attachment !== '') files.set(`${id}/${row.id}/${row.attachment}`, row.title);
        const record = { collection, id: row.id, title: row.title, hasFile: row.attachment !== '' };
        if (collection !== 'passing') records.set(row.id, record);
      }
    }
    return records;
  }

  /** The ids of those whose records may have files. */
  private collections(): Map<string, string> {
    const rows = this.database.prepare('SELECT name, id FROM _collections WHERE NOT system').all();
    const known = new Set(['passing', ...WITH_FILES]);
    return new Map(
      (rows as { name: string; id: string }[]).flatMap(({ name, id }) => (known.has(name) ? [[name, id]] : [])),
    );
  }

  private checkGroup(stored: Map<string, KnownRecord>, told: Group, asked: Group | undefined): void {
    const ids = new Set([...told.keys(), ...(asked?.keys() ?? [])]);
    const present = new Map([...ids].flatMap((id) => (stored.has(id) ? [[id, stored.get(id)!] as const] : [])));
    for (const id of ids) stored.delete(id);
    const isAs = (group: Group | undefined) => group !== undefined && isDeepStrictEqual(sorted(present), sorted(group));
    if (isAs(told) || isAs(asked)) return;
    const text = (group: Group | undefined) => JSON.stringify(group && sorted(group));
    this.found.push(`stored ${text(present)}, told ${text(told)}, asked for ${text(asked)}`);
  }

  private checkShape(expected: Expected['shape'] | undefined): void {
    const columns = this.values("SELECT name FROM pragma_table_info('wide')");
    const indexes = this.values("SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'idx%'");
    const [defined] = this.values("SELECT fields FROM _collections WHERE name = 'wide'") as string[];
    const fields = JSON.parse(defined!) as { name: string; maxSelect?: number }[];
    const shape: Shape = {
      field: columns.includes('extra'),
      index: indexes.includes('idx_wide_title'),
      several: fields.some(({ maxSelect = 1 }) => maxSelect > 1),
      passing: this.collections().has('passing'),
      paired: indexes.includes(`idx_${PAIR[0]}`),
    };
    if (expected && !expected.some((each) => isDeepStrictEqual(shape, each))) {
      this.found.push(`the shape is ${JSON.stringify([shape, ...expected])}`);
    }
    const names = fields.map(({ name }) => name);
    this.expect([...columns].sort(), names.sort(), 'the columns of the large table');
    const told = this.values("SELECT name FROM _collections WHERE indexes LIKE '%CREATE INDEX%' AND name LIKE 'pair%'");
    const pair = shape.paired ? PAIR : [];
    this.expect(told.sort(), pair, 'the indexes of the pair as defined');
    this.expect(
      indexes.filter((name) => String(name).startsWith('idx_pair')).sort(),
      pair.map((name) => `idx_${name}`),
      'the indexes of the pair',
    );
    const tags = this.values('SELECT DISTINCT tags FROM wide');
    this.expect(tags, [shape.several ? '["a"]' : 'a'], 'the tags of the large table');
    const hasTable = this.values("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'passing'").length > 0;
    this.expect(hasTable, shape.passing, 'the table of the passing collection');
    this.expect(this.values('SELECT count(*) FROM wide'), [WIDE_ROWS], 'the rows of the large table');
  }

  private checkFiles(expected: ReadonlyMap<string, string>, { mayBeMore }: { readonly mayBeMore: boolean }): void {
    const storage = join(this.dir, 'storage');
    const entries = !existsSync(storage) ? [] : readdirSync(storage, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const named = new Set([...expected.keys()].flatMap((key) => [key, `${key}.attrs`]));
    const found = paths.map((path) => path.slice(storage.length + 1)).filter((key) => !mayBeMore || named.has(key));
    this.expect(found.sort(), [...named].sort(), 'the files');
    for (const [key, content] of expected) {
      if (found.includes(key)) this.expect(readFileSync(join(storage, key), 'utf8'), content, `the content of ${key}`);
    }
  }

  private values(sql: string): unknown[] {
    return this.database.prepare(sql).pluck().all();
  }

  private expect(actual: unknown, wanted: unknown, what: string): void {
    if (isDeepStrictEqual(actual, wanted)) return;
    this.found.push(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(wanted)}`);
  }
}

function sorted(group: Group): KnownRecord[] {
  return [...group.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

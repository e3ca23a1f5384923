import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { assembleRoost } from '../../../src/assemble-roost.js';
import type { ImportReport } from '../../../src/pocketbase-import/import-report.js';
import { PocketBaseImportService } from '../../../src/pocketbase-import/pocketbase-import.service.js';
import { type Definition, writePocketBaseDirectory } from '../../support/pocketbase-directory.js';
import { databaseOf, startRoost } from '../../support/roost.js';

type Json = Record<string, unknown>;
/** A definition as the API shows it. */
export interface Shown extends Json {
  readonly fields: readonly Json[];
}

const root = mkdtempSync(join(tmpdir(), 'roost-definitions-'));
afterAll(() => rmSync(root, { recursive: true }));

let runs = 0;

/** Imports a directory that has these collections, and gives the report with what came of it. */
export async function carriedOver(...collections: Definition[]) {
  const [source, dir] = [join(root, `source${++runs}`), join(root, `target${runs}`)];
  writePocketBaseDirectory(source, { collections });
  const driver = process.env['DATABASE_DRIVER'];
  const { app } = await assembleRoost(
    {},
    {
      argv: ['import-pocketbase', source, `--dir=${dir}`],
      env: { ...(driver ? { DATABASE_DRIVER: driver } : {}), ...(await databaseOf(dir)) },
      cwd: root,
    },
  );
  let report: ImportReport;
  try {
    report = await app.get(PocketBaseImportService, { strict: false }).import(source, () => undefined);
  } finally {
    await app.close();
  }
  const roost = await startRoost({ dir });
  try {
    const token = await roost.signIn('_superusers', 'root@example.com');
    const definitions: Record<string, Shown> = {};
    const records: Record<string, Json[]> = {};
    for (const { name } of collections) {
      definitions[name] = (await roost.inject({ url: `/api/collections/${name}`, token })).body;
      records[name] = (await roost.inject({ url: `/api/collections/${name}/records`, token })).body.items;
    }
    return { report, definitions, records };
  } finally {
    await roost.close();
  }
}

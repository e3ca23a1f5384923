import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RoostProcess } from '../support/roost-process.js';
import { Sqlite } from '../support/sqlite.js';
import { faultsOf } from './check-directory.js';
import { copyAsKilled } from './frozen-process.js';
import { prepareDirectory } from './prepare-directory.js';
import { randomOf, roundsOf, seedOf } from './rounds.js';
import { type Expected, FIRST_SHAPE, formOf, type Group, type KnownRecord } from './workload.js';

const ROUNDS = roundsOf(2);
const FILE = '1_much.js';

/** Says when it begins, for whoever wants to kill it in the middle. */
const MIGRATION = `
  import { writeFileSync } from 'node:fs';
  const begin = () => writeFileSync(process.env.MARKER, '');
  export async function up(app) {
    begin();
    for (let number = 1; number <= 800; number++) {
      await app.records.create('posts', { id: String(number).padStart(15, '0'), title: 'posts ' + number });
    }
    for (const { id } of (await app.records.find('heaps', { perPage: 1000 })).items) await app.records.delete('heaps', id);
    await app.collections.save({ id: 'faults_passing_', name: 'passing', type: 'base', fields: [
      { name: 'title', type: 'text' }, { name: 'attachment', type: 'file', maxSelect: 1 },
    ] });
  }
  export async function down(app) {
    begin();
    await app.collections.delete('passing');
    for (const { id } of (await app.records.find('posts', { perPage: 1000 })).items) await app.records.delete('posts', id);
  }
`;

const groupOf = (records: readonly KnownRecord[]): Group => new Map(records.map((record) => [record.id, record]));
const record = (collection: string, number: number, hasFile: boolean): KnownRecord => ({
  collection,
  id: String(number).padStart(15, '0'),
  title: `${collection} ${number}`,
  hasFile,
});

const BEFORE = groupOf(Array.from({ length: 40 }, (_, index) => record('heaps', 2_000 + index, true)));
const APPLIED = groupOf(Array.from({ length: 800 }, (_, index) => record('posts', 1 + index, false)));
const REVERTED = groupOf([]);

let root: string;
let prepared: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'roost-faults-'));
  prepared = join(root, 'prepared');
  mkdirSync(join(root, 'migrations'));
  writeFileSync(join(root, 'migrations', FILE), MIGRATION);
  await prepareDirectory(prepared, async (roost) => {
    for (const each of BEFORE.values()) {
      const url = '/api/collections/heaps/records';
      expect((await roost.inject({ method: 'POST', url, body: formOf(each) })).status).toBe(200);
    }
  });
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe.runIf(process.platform === 'linux')('a migration whose process is killed', () => {
  it(
    'OPS-185 OPS-197 was applied or taken back as a whole, or not at all, and its files are there or not likewise',
    { timeout: 120_000 + ROUNDS * 30_000 },
    async () => {
      const random = randomOf(seedOf('killed-migration'));
      for (let round = 0; round < ROUNDS; round++) {
        const dir = join(root, `round-${round}`);
        cpSync(prepared, dir, { recursive: true });
        const wholes = { up: [BEFORE, APPLIED], down: [APPLIED, REVERTED] } as const;
        for (const direction of ['up', 'down'] as const) {
          const marker = join(root, `${direction}-${round}`);
          const process = new RoostProcess(
            [
              'migrate',
              direction,
              ...(direction === 'down' ? ['--yes'] : []),
              `--dir=${dir}`,
              `--migrationsDir=${join(root, 'migrations')}`,
            ],
            { cwd: root, env: { MARKER: marker } },
          );
          try {
            while (!existsSync(marker) && process.child.exitCode === null) await sleep(5);
            await sleep(random() * 700);
            const copy = join(root, 'copy');
            if (process.child.exitCode === null) {
              await copyAsKilled(process.child.pid!, dir, copy, () => undefined);
              const shapes = [FIRST_SHAPE, { ...FIRST_SHAPE, passing: true }] as const;
              const expected: Expected = { groups: [wholes[direction]], shape: shapes };
              expect({ round, direction, faults: await faultsOf(copy, expected) }).toMatchObject({ faults: [] });
              expect(historyOf(copy)).toEqual(hasPassing(copy) ? [FILE] : []);
            }
            await rm(copy, { recursive: true, force: true });
            expect(await process.finished()).toMatchObject({ code: 0, stderr: '' });
          } finally {
            await process.stop('SIGKILL');
          }
          const shape = [{ ...FIRST_SHAPE, passing: direction === 'up' }, undefined] as const;
          expect(await faultsOf(dir, { groups: [[wholes[direction][1], undefined]], shape })).toEqual([]);
        }
      }
    },
  );
});

const historyOf = (dir: string) => valuesOf(dir, 'SELECT file FROM _migrations');
const hasPassing = (dir: string) => valuesOf(dir, "SELECT 1 FROM _collections WHERE name = 'passing'").length > 0;

function valuesOf(dir: string, sql: string): unknown[] {
  const database = new Sqlite(join(dir, 'data.db'), { readonly: true });
  try {
    return database.prepare(sql).pluck().all();
  } finally {
    database.close();
  }
}

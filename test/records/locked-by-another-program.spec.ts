import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { BetterSqlite3Driver } from '../../src/database/sqlite/better-sqlite3-driver.js';

let roost: TestRoost | undefined;

/** Locks in one process are not seen by another library in the same one. */
const OTHER_PROGRAM = `
  const [driver, file] = process.argv.slice(1);
  const database = new (require(driver))(file);
  database.exec('BEGIN IMMEDIATE');
  process.stdout.write('locked');
  process.stdin.once('end', () => (database.exec('ROLLBACK'), database.close())).resume();
`;

/** Holds the file's write lock until what it gives is called. */
async function lock(file: string): Promise<() => Promise<void>> {
  const args = ['-e', OTHER_PROGRAM, new BetterSqlite3Driver().packageName, file];
  const other = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(other.stdout, 'data');
  return async () => {
    other.stdin.end();
    await once(other, 'exit');
  };
}

afterEach(async () => {
  vi.restoreAllMocks();
  await roost?.close();
});

it('SCALE-1 writes answer 503 with Retry-After when another program holds the file too long', async () => {
  roost = await startRoost();
  vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  await roost.createCollections({
    name: 'notes',
    type: 'base',
    listRule: '',
    createRule: '',
    deleteRule: '',
    fields: [{ name: 'title', type: 'text' }],
  });
  const url = '/api/collections/notes/records';
  const { body: note } = await roost.inject({ url, body: { title: 'before' } });
  const letGo = await lock(join(roost.dir, 'data.db'));
  // Ten seconds pass for each time the clock is looked at.
  const { now } = performance;
  let passed = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + (passed += 10_000));
  for (const request of [
    { method: 'POST', url, body: { title: 'never' } },
    { method: 'DELETE', url: `${url}/${note.id}` },
  ] as const) {
    const { status, headers, body } = await roost.inject(request);
    expect([status, headers['retry-after'], body.data]).toEqual([503, '5', {}]);
  }
  vi.mocked(performance.now).mockRestore();
  expect((await roost.inject({ url })).body.items.map(({ title }: { title: string }) => title)).toEqual(['before']);
  await letGo();
  expect((await roost.inject({ url, body: { title: 'after' } })).status).toBe(200);
});

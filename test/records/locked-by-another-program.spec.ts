import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { Sqlite } from '../support/sqlite.js';

let roost: TestRoost | undefined;

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
  const other = new Sqlite(join(roost.dir, 'data.db'));
  other.exec('BEGIN IMMEDIATE');
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
  other.exec('ROLLBACK');
  other.close();
  expect((await roost.inject({ url, body: { title: 'after' } })).status).toBe(200);
});

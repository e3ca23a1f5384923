import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SettingsService } from '../../src/settings/settings.service.js';
import { RoostProcess } from '../support/roost-process.js';
import { startRoost } from '../support/roost.js';

const path = '/api/collections/notes/records';
let dir: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roost-killed-'));
  const roost = await startRoost({ dir });
  const rules = { listRule: '', createRule: '' };
  await roost.createCollections({ name: 'notes', type: 'base', ...rules, fields: [{ name: 'title', type: 'text' }] });
  await roost.app
    .get(SettingsService, { strict: false })
    .patch({ batch: { enabled: true, maxRequests: 100_000, timeout: 60 } });
  await roost.close();
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('BAT-7 BAT-13 a server that is killed in the middle of a batch has stored nothing of it', async () => {
  const server = new RoostProcess(['serve', '--http=127.0.0.1:0', `--dir=${dir}`], { cwd: dir });
  const origin = await server.address();
  const headers = { 'content-type': 'application/json' };
  const single = await fetch(origin + path, { method: 'POST', headers, body: '{"title":"before"}' });
  expect(single.status).toBe(200);
  const requests = Array.from({ length: 50_000 }, () => ({
    method: 'POST',
    url: path,
    body: { title: 'x'.repeat(500) },
  }));
  const answer = fetch(`${origin}/api/batch`, { method: 'POST', headers, body: JSON.stringify({ requests }) });
  const outcome = answer.then(
    () => 'answered',
    () => 'cut off',
  );
  // Long enough for the batch to have begun, far too short for so many items.
  await sleep(700);
  await server.stop('SIGKILL');
  expect(await outcome).toBe('cut off');

  const again = new RoostProcess(['serve', '--http=127.0.0.1:0', `--dir=${dir}`], { cwd: dir });
  const list = await fetch(`${await again.address()}${path}?fields=title`);
  expect(await list.json()).toMatchObject({ totalItems: 1, items: [{ title: 'before' }] });
  await again.stop();
});

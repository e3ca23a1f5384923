import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const TEXT = readFileSync(new URL('../../docs/moving-from-pocketbase.md', import.meta.url), 'utf8');

/** What the document says to run on a snapshot. */
const SCRIPT = [...TEXT.matchAll(/^```sh\n(.*?)^```$/gms)].find(([, code]) => code!.startsWith('node -e'))![1]!;

/** Snapshots as PocketBase writes them since version 0.23, and as it did before. */
const SNAPSHOTS = {
  present: `/// <reference path="../pb_data/types.d.ts" />
migrate((app) => {
  const snapshot = [
    {
      "createRule": null,
      "fields": [{ "id": "text724990059", "name": "title", "type": "text", "max": 40 }],
      "id": "pbc_1125843985",
      "indexes": ["CREATE INDEX \`idx_title\` ON \`posts\` (\`title\`)"],
      "listRule": "title != \\"\\"",
      "name": "posts",
      "type": "base"
    }
  ];

  return app.importCollections(snapshot, false);
}, (app) => {
  return null;
})`,
  old: `/// <reference path="../pb_data/types.d.ts" />
migrate((db) => {
  const snapshot = [
    {
      "id": "pbc_1125843985",
      "name": "posts",
      "type": "base",
      "schema": [{ "id": "text724990059", "name": "title", "type": "text", "options": { "min": null, "max": 40 } }],
      "indexes": ["CREATE INDEX \`idx_title\` ON \`posts\` (\`title\`)"],
      "listRule": "title != \\"\\"",
      "options": {}
    }
  ];

  const collections = snapshot.map((item) => new Collection(item));

  return Dao(db).importCollections(collections, true, null);
}, (db) => {
  return null;
})`,
};

describe('docs/moving-from-pocketbase.md', () => {
  let roost: TestRoost;
  let token: string;
  let project: string;
  beforeAll(async () => {
    project = mkdtempSync(join(tmpdir(), 'roost-moving-'));
    mkdirSync(join(project, 'pb_migrations'));
    // The files of PocketBase are scripts wherever they lie.
    writeFileSync(join(project, 'package.json'), '{"type": "module"}');
    roost = await startRoost();
    token = await roost.createSuperuser();
  });
  afterAll(async () => {
    await roost.close();
    rmSync(project, { recursive: true, force: true });
  });

  it.each(Object.entries(SNAPSHOTS))('COL-93 gets the collections out of a snapshot (%s form)', async (_, snapshot) => {
    writeFileSync(join(project, 'pb_migrations', '1700000000_collections_snapshot.js'), snapshot);
    execFileSync('sh', ['-c', SCRIPT], { cwd: project });
    const collections: unknown = JSON.parse(readFileSync(join(project, 'collections.json'), 'utf8'));
    const imported = await roost.inject({
      method: 'PUT',
      url: '/api/collections/import',
      token,
      body: { collections },
    });
    expect([imported.status, imported.text]).toEqual([204, '']);
    const { body } = await roost.inject({ url: '/api/collections/posts', token });
    expect(body).toMatchObject({
      id: 'pbc_1125843985',
      listRule: 'title != ""',
      indexes: ['CREATE INDEX `idx_title` ON `posts` (`title`)'],
    });
    expect(body.fields[1]).toMatchObject({ id: 'text724990059', name: 'title', max: 40 });
    await roost.inject({ method: 'DELETE', url: '/api/collections/posts', token });
  });
});

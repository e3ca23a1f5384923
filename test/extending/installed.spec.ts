import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InstalledWorkspace, MANAGERS, packInto } from './installed-workspace.js';

const TIMEOUT = 300_000;

let dir: string;
let tarball: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-tarball-'));
  tarball = await packInto(dir);
}, TIMEOUT);
afterAll(() => rm(dir, { recursive: true, force: true }));

describe.each(MANAGERS)('installed with $name, without overrides', (manager) => {
  let workspace: InstalledWorkspace;
  beforeAll(async () => {
    workspace = await InstalledWorkspace.create(manager, tarball);
  }, TIMEOUT);
  afterAll(() => workspace?.remove());

  // A CommonJS module finds a package where an ES module finds it, whoever has put it there.
  const kinds = manager.name === 'npm' ? (['mts', 'cts'] as const) : (['mts'] as const);
  it(
    `EXT-52 serves and runs commands of a team from ES modules${kinds.length > 1 ? ' and from CommonJS' : ''}`,
    async () => {
      expect(await workspace.compile({ module: 'nodenext' }, kinds)).toBe('');
      for (const main of kinds.map((kind) => `main.${kind.replace('ts', 'js')}`)) {
        const server = workspace.run(main, ['serve', '--http', '127.0.0.1:0']);
        try {
          const answer = await fetch(`${await server.address()}/api/hello`);
          expect({ main, status: answer.status, body: await answer.json() }).toEqual({
            main,
            status: 200,
            body: { users: 0, table: 'visits' },
          });
        } finally {
          expect(await server.stop()).toMatchObject({ code: 0 });
        }
        const counted = await workspace.run(main, ['count']).finished();
        expect(counted).toMatchObject({ code: 0, stdout: '0 users\n' });
      }
    },
    TIMEOUT,
  );

  // Those of `nodenext` are found above, for each manager.
  const types = [{ module: 'node16' }, { module: 'esnext', moduleResolution: 'bundler' }];
  // The same for all managers, so that one will do.
  if (manager.name !== 'npm') return;
  it.each(types)(
    'EXT-52 finds the types with $module',
    async (options) => {
      expect(await workspace.compile(options, ['mts'])).toBe('');
    },
    TIMEOUT,
  );
});

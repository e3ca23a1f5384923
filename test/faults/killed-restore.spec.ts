import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BackupsService } from '../../src/backups/backups.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RoostProcess } from '../support/roost-process.js';
import { S3Server } from '../support/s3-server.js';
import { faultsOf } from './check-directory.js';
import { copyAsKilled } from './frozen-process.js';
import { prepareDirectory } from './prepare-directory.js';
import { randomOf, roundsOf, seedOf } from './rounds.js';
import { FIRST_SHAPE, formOf, type Group, type KnownRecord } from './workload.js';

const ROUNDS = roundsOf(2);
const RECORDS = 40;

let root: string;
let store: S3Server;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'roost-faults-'));
  store = await S3Server.open('backups');
});
afterAll(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
});

function groupOf(letter: string): Group {
  const records = Array.from({ length: RECORDS }, (_, index): KnownRecord => {
    const id = `${letter}${index}`.padStart(15, '0');
    return { collection: 'posts', id, title: `${letter} ${index}`, hasFile: index % 2 === 0 };
  });
  return new Map(records.map((record) => [record.id, record]));
}

const GROUPS = { a: groupOf('a'), b: groupOf('b') };

/** Leaves the second group in the directory, and a backup of each. */
async function makeBackups(roost: TestRoost, token: string, isS3: boolean): Promise<void> {
  const backups = { s3: store.settings({ enabled: isS3, bucket: 'backups' }) };
  expect((await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { backups } })).status).toBe(200);
  for (const [name, group] of Object.entries(GROUPS)) {
    await roost.inject({ method: 'DELETE', url: '/api/collections/posts/truncate', token });
    for (const record of group.values()) {
      const body = formOf(record);
      const { status } = await roost.inject({ method: 'POST', url: '/api/collections/posts/records', body });
      expect(status).toBe(200);
    }
    await roost.app.get(BackupsService, { strict: false }).create(`${name}.zip`);
  }
}

describe.runIf(process.platform === 'linux')('a server that is killed at any moment of a restore', () => {
  it.each(['this machine', 'a bucket'])(
    'OPS-105 OPS-197 has all of the old data or all of the new, with the backups on %s',
    { timeout: 120_000 + ROUNDS * 20_000 },
    async (place) => {
      const random = randomOf(seedOf(`killed-restore from ${place}`));
      const dir = join(root, place.replace(' ', '-'));
      const token = await prepareDirectory(dir, (roost, superuser) =>
        makeBackups(roost, superuser, place === 'a bucket'),
      );
      const server = new RoostProcess(['serve', '--http=127.0.0.1:0', `--dir=${dir}`], { cwd: root });
      try {
        const origin = await server.address();
        const headers = { authorization: token };
        let present: keyof typeof GROUPS = 'b';
        let took = 0;
        // One is not disturbed, to see how long it takes.
        for (let round = -1; round < ROUNDS; round++) {
          const next: keyof typeof GROUPS = present === 'a' ? 'b' : 'a';
          const answer = await fetch(`${origin}/api/backups/${next}.zip/restore`, { method: 'POST', headers });
          expect([answer.status, await answer.text()]).toEqual([204, '']);
          while (!existsSync(join(dir, '.temp', 'restore'))) await sleep(2);
          if (round < 0) {
            const began = performance.now();
            while (existsSync(join(dir, '.temp', 'restore'))) await sleep(2);
            took = performance.now() - began;
          } else {
            await sleep(random() * took);
            const copy = join(dir, '..', `round-${round}`);
            await copyAsKilled(server.child.pid!, dir, copy, () => undefined);
            const expected = {
              groups: [[GROUPS[present], GROUPS[next]]] as const,
              shape: [FIRST_SHAPE, undefined] as const,
            };
            expect({ round, faults: await faultsOf(copy, expected) }).toEqual({ round, faults: [] });
            await rm(copy, { recursive: true, force: true });
          }
          await expect
            .poll(
              async () => {
                const health = await fetch(`${origin}/api/health`, { headers }).catch(() => undefined);
                const { data } = ((await health?.json()) ?? {}) as {
                  data?: { canBackup?: boolean; lastRestore?: object };
                };
                return [data?.canBackup, data?.lastRestore];
              },
              { timeout: 60_000, interval: 50 },
            )
            .toEqual([true, expect.objectContaining({ backup: `${next}.zip`, outcome: 'restored' })]);
          present = next;
        }
      } finally {
        await server.stop('SIGKILL');
      }
    },
  );
});

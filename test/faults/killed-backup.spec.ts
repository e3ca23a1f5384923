import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RoostProcess } from '../support/roost-process.js';
import { faultsOf, faultsOfBackup } from './check-directory.js';
import { copyAsKilled } from './frozen-process.js';
import { prepareDirectory } from './prepare-directory.js';
import { randomOf, roundsOf, seedOf } from './rounds.js';
import { Workload } from './workload.js';

const ROUNDS = roundsOf(4);

let root: string;
let dir: string;
let token: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'roost-faults-'));
  dir = join(root, 'data');
  token = await prepareDirectory(dir);
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Makes one backup after the other. */
class Backups {
  readonly told: string[] = [];
  asked: string | undefined;
  private isOver = false;

  constructor(private readonly origin: string) {}

  async run(): Promise<void> {
    for (let count = 0; !this.isOver; count++) {
      this.asked = `b${count}.zip`;
      const response = await fetch(`${this.origin}/api/backups`, {
        method: 'POST',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: JSON.stringify({ name: this.asked }),
      });
      if (response.status !== 204) throw new Error(`${response.status} ${await response.text()}`);
      this.told.push(this.asked);
      this.asked = undefined;
      if (this.told.length > 1) await this.delete(this.told[0]!);
    }
  }

  stop(): void {
    this.isOver = true;
  }

  private async delete(key: string): Promise<void> {
    this.asked = key;
    this.told.shift();
    await fetch(`${this.origin}/api/backups/${key}`, { method: 'DELETE', headers: { authorization: token } });
    this.asked = undefined;
  }
}

describe.runIf(process.platform === 'linux')('a server that is killed while it makes backups and many write', () => {
  it(
    'OPS-102 OPS-106 OPS-197 has every backup it told of, and none that is not whole',
    { timeout: 120_000 + ROUNDS * 15_000 },
    async () => {
      const seed = seedOf('killed-backup');
      const random = randomOf(seed);
      const server = new RoostProcess(['serve', '--http=127.0.0.1:0', `--dir=${dir}`], { cwd: root });
      try {
        const origin = await server.address();
        const workload = new Workload(origin, token, seed);
        workload.start();
        const backups = new Backups(origin);
        const making = backups.run();
        making.catch(() => undefined);
        for (let round = 0; round < ROUNDS; round++) {
          await sleep(random() * 400);
          const copy = join(root, `round-${round}`);
          const [expected, told, asked] = await copyAsKilled(server.child.pid!, dir, copy, () => [
            workload.expected(),
            [...backups.told],
            backups.asked,
          ]);
          const folder = join(copy, 'backups');
          const present = existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.attrs')) : [];
          const at = { round, told, asked };
          expect({ ...at, faults: await faultsOf(copy, expected) }).toEqual({ ...at, faults: [] });
          expect(present.filter((name) => name !== asked).sort()).toEqual(told.filter((name) => name !== asked).sort());
          for (const name of present) {
            expect({ ...at, name, faults: await faultsOfBackup(copy, join(folder, name)) }).toEqual({
              ...at,
              name,
              faults: [],
            });
          }
          await rm(copy, { recursive: true, force: true });
          expect(workload.failures).toEqual([]);
        }
        backups.stop();
        await making;
        const stopping = workload.stop();
        await server.stop('SIGKILL');
        await stopping;
      } finally {
        await server.stop('SIGKILL');
      }
    },
  );
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RoostProcess } from '../support/roost-process.js';
import { faultsOf } from './check-directory.js';
import { copyAsKilled } from './frozen-process.js';
import { prepareDirectory } from './prepare-directory.js';
import { randomOf, roundsOf, seedOf } from './rounds.js';
import { Workload } from './workload.js';

const ROUNDS = roundsOf(12);
/** The longest time between two kills. */
const LONGEST_PAUSE = 200;

let root: string;
let dir: string;
let token: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'roost-faults-'));
  dir = join(root, 'data');
  token = await prepareDirectory(dir);
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe.runIf(process.platform === 'linux')('a server that is killed while many write', () => {
  it(
    `OPS-197 TX-1 FS-34 FS-96 COL-111 keeps what it answered, all or nothing of the rest, and no file too many`,
    { timeout: 120_000 + ROUNDS * 10_000 },
    async () => {
      const seed = seedOf('killed-server');
      const random = randomOf(seed);
      const server = new RoostProcess(['serve', '--http=127.0.0.1:0', `--dir=${dir}`], { cwd: root });
      try {
        const workload = new Workload(await server.address(), token, seed);
        workload.start();
        for (let round = 0; round < ROUNDS; round++) {
          await sleep(random() * LONGEST_PAUSE);
          const copy = join(root, `round-${round}`);
          const expected = await copyAsKilled(server.child.pid!, dir, copy, () => workload.expected());
          expect({ round, faults: await faultsOf(copy, expected) }).toEqual({ round, faults: [] });
          await rm(copy, { recursive: true, force: true });
          expect(workload.failures).toEqual([]);
        }
        const stopping = workload.stop();
        await server.stop('SIGKILL');
        await stopping;
        expect(workload.answered).toBeGreaterThan(ROUNDS);
        expect(await faultsOf(dir, workload.expected())).toEqual([]);
      } finally {
        await server.stop('SIGKILL');
      }
    },
  );
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RoostProcess } from '../roost-process.js';

const CARELESS = fileURLToPath(new URL('careless-program.mjs', import.meta.url));
const PASSWORD = 'correct horse';

describe('the watch over the secrets of started processes', () => {
  let cwd: string;
  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'roost-careless-'));
    await new RoostProcess(['superuser', 'create', 'root@example.com', PASSWORD], { cwd }).finished();
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  async function call(paths: readonly string[]): Promise<RoostProcess> {
    const server = new RoostProcess(['serve', '--http=127.0.0.1:0'], { cwd, main: CARELESS });
    const origin = await server.address();
    for (const path of paths) {
      const answer = await fetch(origin + path);
      expect([path, answer.status, (await answer.text()) !== '']).toEqual([path, 200, true]);
    }
    return server;
  }

  it('AUTH-504 notices one on every way out: answers, streams, both outputs and the log', async () => {
    const ways = ['answer', 'stream', 'output', 'error', 'log'];
    const server = await call(ways.map((way) => `/careless/${way}`));
    const { message } = await server.stop().then(
      () => new Error('It noticed nothing.'),
      (error: Error) => error,
    );
    const told = ['GET /careless/answer', 'GET /careless/stream', 'the log'];
    for (const from of [...told, 'the standard output', 'the standard error output']) {
      expect(message).toContain(`A secret was told by ${from}:`);
    }
  });

  it('AUTH-504 notices one that was told before the process was killed', async () => {
    const server = await call(['/careless/answer']);
    await expect(server.stop('SIGKILL')).rejects.toThrow('A secret was told by GET /careless/answer');
  });

  it('AUTH-504 notices the password a superuser was given on the command line', async () => {
    const main = join(cwd, 'echo.mjs');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(main, 'console.log(process.argv.slice(2).join(" "));');
    const careless = new RoostProcess(['superuser', 'upsert', 'root@example.com', PASSWORD], { cwd, main });
    await expect(careless.finished()).rejects.toThrow('A secret was told by the standard output');
  });

  it('has nothing to say about a process that tells none', async () => {
    const server = await call(['/api/health']);
    expect((await server.stop()).code).toBe(0);
  });
});

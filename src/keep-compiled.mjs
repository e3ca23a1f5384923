// Starts a server on an empty directory, and keeps what V8 has compiled of it beside the program (`load-program.ts`).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';

const MAIN = join(import.meta.dirname, '../dist/main.js');

/** Milliseconds until a server has certainly started. */
const PATIENCE = 60_000;

// V8 takes what it has kept only under the flags under which it was compiled, and those of a build are for the build.
const { NODE_OPTIONS, ...withoutOptions } = process.env;
if (NODE_OPTIONS) {
  const again = spawnSync(process.execPath, [import.meta.filename], { env: withoutOptions, stdio: 'inherit' });
  process.exit(again.status ?? 1);
}

const directory = mkdtempSync(join(tmpdir(), 'roost-build-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
// Nothing that is meant for servers of whoever builds is for this one, and nobody has to set it up.
for (const name of Object.keys(process.env)) delete process.env[name];
process.chdir(directory);
process.stdout.write = () => true;

const port = await freePort();
process.argv = [process.execPath, MAIN, 'serve', `--http=127.0.0.1:${port}`, `--dir=${join(directory, 'data')}`];
await import('../dist/main.js');
await answerOf(`http://127.0.0.1:${port}/api/health`);

const { scripts } = await import('../dist/load-program.js');
// The flags as they are when the program is loaded, which a running server has changed.
setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--heap-growing-percent=0');
for (const [file, script] of scripts) writeFileSync(`${file}.code`, script.createCachedData());
process.exit(0);

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const { port: free } = server.address();
  await new Promise((done) => server.close(done));
  return free;
}

async function answerOf(address) {
  const end = performance.now() + PATIENCE;
  for (;;) {
    try {
      return await (await fetch(address)).json();
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(20);
    }
  }
}

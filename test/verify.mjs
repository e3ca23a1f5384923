// Passes all checks and tests: lint, format, build, types, the suite, and what runs in a browser.
// Its last line is `N passed, N failed`; the exit code is 0 only when nothing failed.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const scratch = mkdtempSync(join(tmpdir(), 'roost-verify-'));
const started = performance.now();
let passed = 0;
let failed = 0;

const heading = (title) => console.log(`\n=== ${title} (after ${Math.round((performance.now() - started) / 1000)} s)`);

/** Whether a process did what it was started for. */
const succeeds = (child) =>
  new Promise((resolve) => {
    child.on('error', ({ message }) => {
      console.log(message);
      resolve(false);
    });
    child.on('close', (code) => resolve(code === 0));
  });

function run(title, command, args, env = {}) {
  heading(title);
  return succeeds(spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } }));
}

/** Passes a check beside others: what it says is shown when it is over, so that they don't talk at the same time. */
async function check(title, command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  const ok = await succeeds(child);
  heading(title);
  process.stdout.write(Buffer.concat(said));
  if (ok) passed++;
  else failed++;
}

/**
 * The browser of the tests of the admin UI and of the SDK, and the Redis of a queue beside Roost. Where they are
 * missing, Debian's packages are installed.
 */
async function providePrograms() {
  const inPath = (name) => process.env.PATH.split(':').some((folder) => existsSync(join(folder, name)));
  const missing = [...(existsSync(CHROMIUM) ? [] : ['chromium']), ...(inPath('redis-server') ? [] : ['redis-server'])];
  if (missing.length === 0) return;
  const [command, ...first] = process.getuid?.() === 0 ? ['apt-get'] : ['sudo', 'apt-get'];
  const apt = (...args) => run(`apt-get ${args[0]}`, command, [...first, ...args]);
  await apt('update', '-qq');
  if (!(await apt('install', '-y', '-qq', '--no-install-recommends', ...missing))) {
    console.log(`Could not be installed: ${missing.join(', ')}. Install it; Chromium may be named in CHROMIUM_PATH.`);
  }
}

async function suite(title, env, filters = []) {
  const report = join(scratch, `${title.replace(/\W+/g, '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`, '--silent=true'];
  const options = ['--config', 'test/vitest.config.ts', ...reporters];
  const ok = await run(title, 'npx', ['vitest', 'run', ...options, ...filters], env);
  if (!existsSync(report)) {
    failed++;
    return;
  }
  const result = JSON.parse(readFileSync(report, 'utf8'));
  passed += result.numPassedTests;
  failed += result.numFailedTests;
  // A file that could not even be loaded counts no test as failed.
  if (!ok && result.numFailedTests === 0) failed++;
}

await Promise.all([
  check('Lint', 'npx', ['oxlint', '--deny-warnings']).then(() => check('Build', 'npm', ['run', '--silent', 'build'])),
  check('Format', 'npx', ['prettier', '--check', '--log-level', 'warn', '.']).then(() =>
    check('Types of the tests', 'npx', ['tsc', '-p', 'test/tsconfig.json']),
  ),
  providePrograms(),
]);
/** Not isolated, files share processes that have Roost loaded (test/spec-process.ts). */
const SHARED = '--isolate=false';
await suite('Tests with better-sqlite3', { DATABASE_DRIVER: '' }, [
  SHARED,
  '--exclude=test/admin/**',
  '--exclude=test/browser/**',
]);
// What depends on the driver most; `npm run test:sqlite3` runs everything with it.
const NEAR_THE_DATABASE = ['database', 'records', 'collections', 'batch', 'sql', 'settings', 'sdk', 'contracts'];
await suite('Tests with sqlite3', { DATABASE_DRIVER: 'sqlite3' }, [
  SHARED,
  ...NEAR_THE_DATABASE.map((folder) => `test/${folder}/`),
]);
// A browser beside other specs on a small machine runs into its time limits: two at most get the machine for themselves.
const browsers = `--maxWorkers=${Math.min(2, availableParallelism())}`;
await suite('Tests in a browser', { DATABASE_DRIVER: '' }, ['test/admin', 'test/browser', browsers, '--retry=2']);
rmSync(scratch, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

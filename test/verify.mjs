// Passes all checks and tests: lint, format, build, types, the suite, and what runs in a browser.
// Its last line is `N passed, N failed`; the exit code is 0 only when nothing failed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const scratch = mkdtempSync(join(tmpdir(), 'roost-verify-'));
const started = performance.now();
let passed = 0;
let failed = 0;

function run(title, command, args, env = {}) {
  console.log(`\n=== ${title} (after ${Math.round((performance.now() - started) / 1000)} s)`);
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  return status === 0;
}

function check(title, command, args) {
  if (run(title, command, args)) passed++;
  else failed++;
}

/** The browser of the tests of the admin UI and of the SDK. Where it is missing, Debian's package is installed. */
function provideBrowser() {
  if (existsSync(CHROMIUM)) return;
  const [command, ...first] = process.getuid?.() === 0 ? ['apt-get'] : ['sudo', 'apt-get'];
  const apt = (...args) => run(`apt-get ${args[0]}`, command, [...first, ...args]);
  apt('update', '-qq');
  if (!apt('install', '-y', '-qq', '--no-install-recommends', 'chromium')) {
    console.log('Chromium could not be installed: install it, or name it in CHROMIUM_PATH.');
  }
}

function suite(title, env, filters = []) {
  const report = join(scratch, `${title.replace(/\W+/g, '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`, '--silent=true'];
  const ok = run(title, 'npx', ['vitest', 'run', '--config', 'test/vitest.config.ts', ...reporters, ...filters], env);
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

check('Lint', 'npx', ['oxlint', '--deny-warnings']);
check('Format', 'npx', ['prettier', '--check', '--log-level', 'warn', '.']);
check('Build', 'npm', ['run', '--silent', 'build']);
check('Types of the tests', 'npx', ['tsc', '-p', 'test/tsconfig.json']);
provideBrowser();
suite('Tests with better-sqlite3', { DATABASE_DRIVER: '' }, ['--exclude=test/admin/**', '--exclude=test/browser/**']);
// What depends on the driver most; `npm run test:sqlite3` runs everything with it.
const NEAR_THE_DATABASE = ['database', 'records', 'collections', 'batch', 'sql', 'settings', 'sdk', 'contracts'];
suite(
  'Tests with sqlite3',
  { DATABASE_DRIVER: 'sqlite3' },
  NEAR_THE_DATABASE.map((folder) => `test/${folder}/`),
);
// A browser beside other specs on a small machine runs into its time limits: two at most get the machine for themselves.
const browsers = `--maxWorkers=${Math.min(2, availableParallelism())}`;
suite('Tests in a browser', { DATABASE_DRIVER: '' }, ['test/admin', 'test/browser', browsers, '--retry=2']);
rmSync(scratch, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

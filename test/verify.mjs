// Passes all checks and tests: lint, format, build, types, the suite, and what runs in a browser.
// Its last line is `N passed, N failed`; the exit code is 0 only when nothing failed.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell';
const POSTGRES = '/usr/lib/postgresql';
const PGBOUNCER = '/usr/sbin/pgbouncer';
const NGINX = '/usr/sbin/nginx';
const scratch = mkdtempSync(join(tmpdir(), 'roost-verify-'));
const started = performance.now();
let passed = 0;
let failed = 0;
/** What failed, said once more at the end: a log of thousands of tests is read from there. */
const failures = [];

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
  else fail(title);
}

function fail(what, why = '') {
  failed++;
  failures.push(`${what}\n${why.replace(/^/gm, '    ')}`.trimEnd());
}

/** Is a server installed? The client alone has a folder there, too. */
function hasPostgres() {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES) : [];
  return versions.some((version) => existsSync(join(POSTGRES, version, 'bin/initdb')));
}

const isInPath = (name) => process.env.PATH.split(':').some((folder) => existsSync(join(folder, name)));

/**
 * What tests need of Debian, installed where it is missing: the browser of the tests of the admin UI and of the SDK, and
 * the programs of PostgreSQL, PgBouncer, Redis and nginx, of which tests start servers of their own.
 */
async function provideDebianPackages() {
  const packages = [];
  if (!existsSync(CHROMIUM)) packages.push('chromium-headless-shell');
  if (!hasPostgres()) packages.push('postgresql');
  if (!isInPath('redis-server')) packages.push('redis-server');
  if (!existsSync(PGBOUNCER)) packages.push('pgbouncer');
  if (!existsSync(NGINX)) packages.push('nginx');
  if (packages.length === 0) return;
  const root = process.getuid?.() === 0 ? [] : ['sudo'];
  const asRoot = (title, ...args) => run(title, [...root, ...args][0], [...root, ...args].slice(1));
  const install = (...names) =>
    asRoot(
      `apt-get install ${names.join(' ')}`,
      'apt-get',
      'install',
      '-y',
      '-qq',
      '--no-install-recommends',
      ...names,
    );
  await asRoot('apt-get update', 'apt-get', 'update', '-qq');
  if (packages.includes('postgresql')) {
    await install('postgresql-common');
    // The package would start a server for the whole machine.
    const setting = 's/^#?create_main_cluster.*/create_main_cluster = false/';
    await asRoot('No server for the machine', 'sed', '-i', '-E', setting, '/etc/postgresql-common/createcluster.conf');
  }
  if (await install(...packages)) return;
  console.log(`Not installed: ${packages.join(', ')}. Install them by hand; CHROMIUM_PATH may name the browser.`);
}

async function suite(title, env, filters = []) {
  const report = join(scratch, `${title.replace(/\W+/g, '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`, '--silent=true'];
  const options = ['--config', 'test/vitest.config.ts', ...reporters];
  const ok = await run(title, 'npx', ['vitest', 'run', ...options, ...filters], env);
  if (!existsSync(report)) return fail(title, 'ended without a report');
  const result = JSON.parse(readFileSync(report, 'utf8'));
  passed += result.numPassedTests;
  for (const file of result.testResults) {
    const name = `${title}: ${relative(process.cwd(), file.name)}`;
    for (const test of file.assertionResults.filter(({ status }) => status === 'failed')) {
      fail(`${name} > ${test.fullName}`, test.failureMessages.join('\n'));
    }
    // A file that could not be loaded, or that failed beside its tests, counts no test as failed.
    const isSilent = file.assertionResults.every(({ status }) => status !== 'failed');
    if (file.status === 'failed' && isSilent)
      fail(name, file.message || 'failed beside its tests, of which some never ran');
  }
  if (!ok && result.success) fail(title, 'ended with an error beside the tests');
}

await Promise.all([
  check('Lint and types', 'npm', ['run', '--silent', 'lint']).then(() =>
    check('Build', 'npm', ['run', '--silent', 'build']),
  ),
  check('Format', 'npx', ['prettier', '--check', '--log-level', 'warn', '.']),
  provideDebianPackages(),
]);
/** Not isolated, files share processes that have Roost loaded (test/spec-process.ts). */
const SHARED = '--isolate=false';
// Long runs of faults and of clusters have a command of their own, `npm run test:faults`. Here a server is killed while
// many write, and at each step of a restore.
const LONG_FAULTS = [
  'test/faults/killed-{backup,copy,migration,restore}*',
  'test/cluster/{faults,jobs,rolling-upgrade}*',
  'test/pocketbase-import/killed*',
];
await suite('Tests with better-sqlite3', { DATABASE_DRIVER: '' }, [
  SHARED,
  ...['test/admin/**', 'test/browser/**', ...LONG_FAULTS].map((path) => `--exclude=${path}`),
]);
// What depends on the database most, and everything that many do at once; `npm run test:sqlite3` and
// `npm run test:postgres` run more with theirs.
const NEAR_THE_DATABASE = [
  'auth/used-once',
  'batch/',
  'collections/endpoints',
  'collections/views-follow-their-tables',
  'realtime/order',
  'records/compared-values',
  'records/contenders',
  'records/creates-of-one-statement',
  'records/expand',
  'records/failed-statements',
  'records/lists',
  'records/relations',
  'records/rule-meanings',
  'records/status-matrix',
  'settings/',
];
// What goes wrong where statements of one file do not wait for each other. Of test/database the specs that go by the
// driver of this run, because the others name theirs: the contract of both drivers has been passed with the first.
const NEAR_THE_DRIVER = [
  'collections/changes-by-another-process',
  'collections/failed-change-leaves-nothing',
  'collections/one-version-for-each-request',
  'collections/table-follows-definition',
  'database/injected-repositories',
  'database/slow-reads',
  'database/system-migrations',
  'records/failures-after-the-commit',
  'records/large-pages',
  'records/many-writers',
  'records/shared-answers',
];
const specs = (paths) => paths.map((path) => `test/${path}`);
await suite('Tests with sqlite3', { DATABASE_DRIVER: 'sqlite3' }, [
  SHARED,
  ...specs([...NEAR_THE_DATABASE, ...NEAR_THE_DRIVER]),
]);
await suite('Tests with PostgreSQL', { DATABASE_DRIVER: '', ROOST_TEST_DATABASE: 'postgres' }, [
  SHARED,
  ...specs(NEAR_THE_DATABASE),
]);
// A browser beside other specs on a small machine runs into its time limits: three at most get the machine for themselves.
const browsers = `--maxWorkers=${Math.min(3, availableParallelism() + 1)}`;
await suite('Tests in a browser', { DATABASE_DRIVER: '' }, [SHARED, 'test/admin', 'test/browser', browsers]);
rmSync(scratch, { recursive: true, force: true });
if (failures.length > 0) console.log(`\n=== What failed\n${failures.join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

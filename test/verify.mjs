// Passes all checks and tests: lint, format, types, build, the suite with each SQLite driver.
// Its last line is `N passed, N failed`; the exit code is 0 only when nothing failed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'roost-verify-'));
let passed = 0;
let failed = 0;

function run(title, command, args, env = {}) {
  console.log(`\n=== ${title}`);
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  return status === 0;
}

function check(title, command, args) {
  if (run(title, command, args)) passed++;
  else failed++;
}

function suite(title, env) {
  const report = join(scratch, `${title.replace(/\W+/g, '-')}.json`);
  const ok = run(
    title,
    'npx',
    [
      'vitest',
      'run',
      '--config',
      'test/vitest.config.ts',
      '--reporter=dot',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    env,
  );
  if (!existsSync(report)) {
    failed++;
    return;
  }
  const result = JSON.parse(readFileSync(report, 'utf8'));
  passed += result.numPassedTests;
  failed += result.numFailedTests;
  // A suite that could not even be loaded counts no test as failed.
  if (!ok && result.numFailedTests === 0) failed++;
}

check('Lint', 'npx', ['oxlint', '--deny-warnings']);
check('Format', 'npx', ['prettier', '--check', '--log-level', 'warn', '.']);
check('Build', 'npm', ['run', '--silent', 'build']);
check('Types of the tests', 'npx', ['tsc', '-p', 'test/tsconfig.json']);
suite('Tests with better-sqlite3', { DATABASE_DRIVER: '' });
if (existsSync('node_modules/sqlite3')) suite('Tests with sqlite3', { DATABASE_DRIVER: 'sqlite3' });

rmSync(scratch, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

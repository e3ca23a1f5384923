import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { compiledSource } from './compiled-source.js';
import { NOT_ON_POSTGRES } from './support/not-on-postgres.js';
import { LongestFirst } from './longest-first.js';
import { ALONE, specProcess } from './spec-process.js';

/** Whether the suite runs on PostgreSQL (`npm run test:postgres`), and the files that are not for it. */
const onPostgres = process.env['ROOST_TEST_DATABASE'] === 'postgres';
const excused = Object.keys(NOT_ON_POSTGRES).filter((file) => typeof NOT_ON_POSTGRES[file] === 'string');

export default defineConfig({
  plugins: [await compiledSource()],
  root: new URL('..', import.meta.url).pathname,
  // What teams import, from its source.
  resolve: {
    alias: [
      { find: /^roost$/, replacement: new URL('../src/index.ts', import.meta.url).pathname },
      { find: /^roost\/testing$/, replacement: new URL('../src/testing/index.ts', import.meta.url).pathname },
    ],
  },
  test: {
    // Imported by Node itself.
    server: { deps: { external: [/\/\.compiled\//] } },
    include: ['src/**/*.spec.ts', 'test/**/*.spec.ts'],
    exclude: ['**/node_modules/**', 'dist/**', 'test/extending/shop/**', ...(onPostgres ? excused : [])],
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    globalSetup: ['test/support/postgres-template.ts', ...(onPostgres ? ['test/support/postgres-suite.ts'] : [])],
    pool: specProcess,
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/cheap-passwords.ts', ...(onPostgres ? ['test/support/skip-on-postgres.ts'] : [])],
    // Most of what a spec runs it runs a few times: V8 compiles it at once and collects what it leaves seldom, which takes
    // a seventh less of processor time.
    execArgv: ['--always-sparkplug', '--max-semi-space-size=64'],
    tags: [{ name: ALONE, description: 'Needs a process of its own.' }],
    // Specs wait for servers and timers more than for processors.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A busy machine takes its time; what is never going to be fails later, that is all.
    expect: { poll: { timeout: 10_000 } },
  },
});

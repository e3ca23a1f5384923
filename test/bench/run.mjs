// Measures a built Roost: `npm run bench` runs all suites, `npm run bench records` one of them.
// With `--target=URL` the workloads of the suite `lists` go to a server that runs already, and `start` starts it by a
// command (docs/performance.md).
// Every figure that says something about speed is a ratio to a baseline of the same run: machines differ and are shared.
import { readFileSync, writeFileSync } from 'node:fs';
import { constants, cpus, release, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { BenchContext } from './bench-context.mjs';

const DEFAULTS = { seconds: 3, connections: 32 };
const SUITES = [
  'start',
  'records',
  'lists',
  'postgres',
  'workers',
  'cluster',
  'simulate',
  'auth',
  'batch',
  'realtime',
  'files',
  'operations',
  'extending',
  'admin',
  'hostile',
];

/** Suites for a server that the benchmark did not build. */
const FOR_TARGETS = ['lists', 'start'];

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const { values, positionals } = parseArgs({
  options: {
    json: { type: 'string' },
    target: { type: 'string' },
    email: { type: 'string' },
    password: { type: 'string' },
    posts: { type: 'string' },
    attacks: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string' },
    streams: { type: 'string' },
    instances: { type: 'string' },
    pid: { type: 'string' },
    command: { type: 'string' },
  },
  allowPositionals: true,
});
const { json, target, email, password, attacks, command } = values;
const options = {
  email,
  password,
  attacks,
  command,
  ...(values.posts && { posts: values.posts.split(',').map((size) => positive('posts', size)) }),
  ...(values.seconds && { seconds: positive('seconds', values.seconds) }),
  ...Object.fromEntries(
    ['connections', 'streams', 'instances', 'pid'].flatMap((name) =>
      values[name] ? [[name, positive(name, values[name])]] : [],
    ),
  ),
};
const wanted = target && positionals.length === 0 ? ['lists'] : positionals;
for (const name of wanted)
  if (!SUITES.includes(name)) throw new Error(`There is no suite "${name}": ${SUITES.join(', ')}.`);

for (const name of wanted) {
  if (target && !FOR_TARGETS.includes(name)) throw new Error(`"${name}" starts a server itself: leave --target out.`);
  if (target && name === 'start' && !command) throw new Error('Say how the target is started: --command.');
}

/** The exit code when everything is to end early. A second signal tidies nothing up. */
const interrupted = new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => resolve(128 + constants.signals[signal]));
  process.once('uncaughtException', (error) => {
    console.error(error);
    process.exitCode = 1;
    resolve(1);
  });
});

const machine = {
  roost: version,
  node: process.version,
  cpu: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
  memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
  ...(target && { target }),
  system: `${process.platform} ${release()}`,
};
console.log(
  Object.entries(machine)
    .map(([name, value]) => `${name.padEnd(8)} ${value}`)
    .join('\n'),
);

const results = {};
for (const name of wanted.length > 0 ? wanted : SUITES) {
  console.log(`\n## ${name}`);
  const suite = await import(`./${name}.bench.mjs`);
  const context = new BenchContext({
    target: target && new URL(target).origin,
    options: { ...DEFAULTS, ...suite.defaults, ...options },
  });
  let code;
  try {
    code = await Promise.race([suite.run(context), interrupted]);
    results[name] = context.report.rows;
  } finally {
    await context.close();
  }
  if (code) process.exit(code);
}
if (json) writeFileSync(json, JSON.stringify({ machine, results }, null, 2));

function positive(name, text) {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new Error(`--${name} takes numbers above 0.`);
}

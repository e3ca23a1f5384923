// Measures a built Roost: `npm run bench` runs all suites, `npm run bench records` one of them.
// With `--target=URL` the same load goes to a server that runs already, and the ratios are to Roost (target.bench.mjs).
// Every figure that says something about speed is a ratio to a baseline of the same run: machines differ and are shared.
import { cpus, release, totalmem } from 'node:os';
import { readFileSync, writeFileSync } from 'node:fs';
import { BenchContext } from './bench-context.mjs';

const SUITES = ['start', 'records', 'collections', 'auth', 'batch', 'realtime', 'files', 'operations'];

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const args = process.argv.slice(2);
const json = args.find((arg) => arg.startsWith('--json='))?.slice('--json='.length);
const target = args.find((arg) => arg.startsWith('--target='))?.slice('--target='.length);
const wanted = target ? ['target'] : args.filter((arg) => !arg.startsWith('--'));
for (const name of target ? [] : wanted)
  if (!SUITES.includes(name)) throw new Error(`There is no suite "${name}": ${SUITES.join(', ')}.`);

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
  const suite = await import(`./${name}.bench.mjs`).catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || wanted.length > 0) throw error;
  });
  if (!suite) continue;
  console.log(`\n## ${name}\n`);
  const context = new BenchContext({ target: target && new URL(target).origin });
  try {
    await suite.run(context);
    results[name] = context.rows;
  } finally {
    await context.close();
  }
}
if (json) writeFileSync(json, JSON.stringify({ machine, results }, null, 2));

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AttackTarget } from './attack-target.mjs';
import { Database } from './sqlite.mjs';

const PROBE = fileURLToPath(new URL('./health-probe.mjs', import.meta.url));
const FOLDER = new URL('./attacks/', import.meta.url);

/** What OPS-39 promises: how much longer others wait, in ms, and by how much the process grows, in MiB. */
const GOALS = { wait: 100, memory: 256 };

/** An attack that goes on for longer has won. */
const PATIENCE = 20_000;

/** How long a server is watched before and after an attack. */
const BESIDE = 500;

const NAME_WIDTH = 72;

/**
 * One attack of every kind, each on a fresh server: how long others waited for `GET /api/health` (OPS-39). What a file of
 * the folder `attacks` exports as `attacks` is played. An attack is
 *
 * - `name`;
 * - `collections`, which are imported, and `settings`, which are changed;
 * - `rows(db, target)`, which writes rows straight into their tables while the server does not run;
 * - `prepare(target)`, whose result is given to
 * - `run(target, prepared)`, which sends the attack, and may give what is to be told of it besides;
 * - `flags`, `env` and `files` of the server.
 */
export async function run(bench) {
  const attacks = [];
  for (const file of readdirSync(FOLDER).sort()) {
    const { attacks: some } = await import(new URL(file, FOLDER));
    attacks.push(...some.map((each) => ({ kind: file.replace('.mjs', ''), ...each })));
  }
  const wanted = bench.options.attacks;
  let kind;
  for (const attack of attacks) {
    if (wanted && !`${attack.kind}: ${attack.name}`.includes(wanted)) continue;
    if (attack.kind !== kind) head((kind = attack.kind));
    await play(bench, attack);
  }
}

async function play(bench, attack) {
  const { name, kind, flags, env, files } = attack;
  const { server, token } = await prepared(bench, attack, { flags, env, files });
  const end = new AbortController();
  const target = new AttackTarget(server, token, end.signal);
  const probe = fork(PROBE, [server.origin]);
  try {
    const state = await attack.prepare?.(target);
    const longest = async () => {
      probe.send('');
      return (await once(probe, 'message'))[0];
    };
    // What was compiled and collected for the preparations is not part of it.
    await sleep(BESIDE);
    await longest();
    await sleep(BESIDE);
    const quiet = await longest();
    const growth = server.watchResidentMemory();
    const started = performance.now();
    const note = await Promise.race([
      attack.run(target, state).then((told) => (typeof told === 'string' ? told : '')),
      sleep(PATIENCE, undefined, { signal: end.signal }).catch(() => undefined),
      server.ended.then(() => undefined),
    ]);
    const isOver = note !== undefined;
    const took = performance.now() - started;
    if (isOver) await sleep(BESIDE);
    const hasEnded = server.hasEnded;
    const row = { kind, what: name, wait: await longest(), quiet, memory: growth(), took, answers: target.answers };
    bench.report.rows.push({ ...row, ...(note && { note }), ...(hasEnded && { hasEnded }) });
    print(row, { hasEnded, isOver, note });
  } finally {
    end.abort();
    probe.kill();
    await target.close();
    await server.stop();
  }
}

/** A server that has what an attack needs. */
async function prepared(bench, { collections, settings, rows }, options) {
  let server = await bench.roost(options);
  const token = await server.setUp();
  const api = (method, path, body) => server.load.call(method, path, { token, body });
  if (collections) await api('PUT', '/api/collections/import', { collections });
  if (settings) await api('PATCH', '/api/settings', settings);
  if (!rows) return { server, token };
  await server.stop();
  const { dir } = server;
  const db = new Database(join(dir, 'data.db'));
  db.transaction(() => rows(db))();
  db.close();
  server = await bench.roost({ ...options, dir });
  return { server, token };
}

function head(kind) {
  const columns = ['wait ms', 'quiet', 'MiB', 'took ms'].map((name) => name.padStart(9)).join('');
  console.log(`\n${kind.padEnd(NAME_WIDTH)}${columns}  answers`);
}

function print({ what, wait, quiet, memory, took, answers }, { hasEnded, isOver, note }) {
  const figures = [wait, quiet, memory, took].map((each) => Math.round(each).toLocaleString('en').padStart(9)).join('');
  const marks = [
    note,
    wait - quiet > GOALS.wait && 'WAIT',
    memory > GOALS.memory && 'MEMORY',
    hasEnded && 'THE SERVER HAS ENDED',
    !hasEnded && !isOver && `went on for ${PATIENCE / 1000} s`,
  ].filter(Boolean);
  const counts = Object.entries(answers).map(([status, count]) => `${count} x ${status}`);
  console.log(`${what.padEnd(NAME_WIDTH)}${figures}  ${[counts.join(', '), ...marks].join('  ')}`);
}

// What schema changes of a large table cost in time and memory (COL-162), and how long they hold up everything else
// (SCALE-3). Run after `npm run build:server`;
// the number of rows is the first argument, one million by default.
import 'reflect-metadata';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CollectionsService, createRoost, Database } from '../../dist/index.js';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const dir = mkdtempSync(join(tmpdir(), 'roost-bench-'));
const app = await createRoost({ config: { ROOST_DIR: dir } });
await app.listen(0, '127.0.0.1');
const collections = app.get(CollectionsService, { strict: false });
const database = app.get(Database, { strict: false });

await collections.create({
  name: 'big',
  type: 'base',
  fields: [
    { name: 'title', type: 'text' },
    { name: 'body', type: 'editor' },
    { name: 'views', type: 'number' },
    { name: 'kind', type: 'select', values: ['a', 'b', 'c'], maxSelect: 1 },
  ],
  indexes: ['CREATE INDEX idx_big_title ON big (title)', 'CREATE INDEX idx_big_created ON big (created)'],
});
await collections.create({ name: 'big_titles', type: 'view', viewQuery: 'SELECT id, title, kind FROM big' });
await database.run({
  sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
    INSERT INTO big (id, title, body, views, kind, created, updated)
    SELECT printf('%015d', i), 'title ' || i, hex(zeroblob(100)), i, char(97 + i % 3),
      '2026-01-01 00:00:00.000Z', '2026-01-01 00:00:00.000Z' FROM n`,
  params: [ROWS],
});
await database.optimize();
const megabytes = (bytes) => Math.round(bytes / 1048576);
console.log(`${ROWS} rows, ${megabytes(statSync(join(dir, 'data.db')).size)} MiB`);

const field = (name) => collections.get('big').field(name);
const withFields = (change) => collections.update('big', { fields: change([...collections.get('big').fields]) });
const replace = (name, change) =>
  withFields((all) => all.map((each) => (each.name === name ? { ...each, ...change } : each)));

await measure('add a text field', () => withFields((all) => [...all, { name: 'extra', type: 'text' }]));
await measure('add a multiple select', () =>
  withFields((all) => [...all, { name: 'tags', type: 'select', values: ['a', 'b'], maxSelect: 2 }]),
);
await measure('rename a field', () => replace('views', { name: 'hits' }));
await measure('rename another field', () => replace('body', { name: 'content' }));
await measure('swap two names', () => {
  const [title, content] = [field('title'), field('content')];
  return withFields((all) =>
    all.map((each) => {
      if (each.id === title.id) return { ...each, name: 'content' };
      return each.id === content.id ? { ...each, name: 'title' } : each;
    }),
  );
});
await measure('single to multiple', () => replace('kind', { maxSelect: 2 }));
await measure('multiple to single', () => replace('kind', { maxSelect: 1 }));
await measure('remove a field', () => withFields((all) => all.filter((each) => each.name !== 'hits')));
await measure('add an index', () =>
  collections.update('big', {
    indexes: [...collections.get('big').indexes, 'CREATE INDEX idx_big_extra ON big (kind, created)'],
  }),
);
await measure('rename the collection', () => collections.update('big', { name: 'large' }));

await measure('delete the view', () => collections.delete('big_titles'));
await measure('delete the collection', () => collections.delete('large'));

await app.close();
rmSync(dir, { recursive: true, force: true });

/**
 * Runs a change and tells its time, the longest time in which nothing else could run, and how far it raised the
 * highest resident memory and the journal.
 */
async function measure(name, change) {
  const before = peakMemory();
  const started = performance.now();
  let longest = 0;
  let last = started;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const looking = setInterval(look, 1);
  await change();
  look();
  clearInterval(looking);
  const seconds = ((performance.now() - started) / 1000).toFixed(2);
  const journal = megabytes(statSync(join(dir, 'data.db-wal'), { throwIfNoEntry: false })?.size ?? 0);
  await database.optimize();
  console.log(
    `${name}: ${seconds} s, held up ${Math.round(longest)} ms, peak memory ${before} -> ${peakMemory()} MiB, journal ${journal} MiB`,
  );
}

function peakMemory() {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

const PASSWORD = 'bench-password';
const SIZE = 100;
const COLLECTION = {
  name: 'notes',
  type: 'base',
  createRule: '@request.body.n >= 0',
  fields: [
    { name: 'title', type: 'text', required: true },
    { name: 'n', type: 'number' },
    { name: 'tags', type: 'select', values: ['a', 'b', 'c'], maxSelect: 3 },
  ],
};

/** A batch of 100 creates beside 100 single ones, for one client and for several. */
export async function run(bench) {
  const dir = bench.tempDir();
  bench.command(dir, 'superuser', 'upsert', 'root@example.com', PASSWORD);
  const roost = await bench.roost(dir);
  await prepare(roost.origin);
  const headers = { 'content-type': 'application/json' };
  const record = { title: 'A note', n: 5, tags: ['a', 'b'] };
  const url = '/api/collections/notes/records';
  const batch = { requests: Array.from({ length: SIZE }, () => ({ method: 'POST', url, body: record })) };
  const load = (path, body, connections) =>
    bench.load(roost.origin + path, { method: 'POST', headers, body: JSON.stringify(body), connections });
  for (const connections of [1, 8]) {
    const { own, baseline } = await bench.compare({
      own: () => load('/api/batch', batch, connections),
      baseline: () => load(url, record, connections),
    });
    bench.report(`batches of ${SIZE} creates, to single creates, ${connections} client${connections > 1 ? 's' : ''}`, {
      ratio: (own.rate * SIZE) / baseline.rate,
      'creates/s': own.rate * SIZE,
      'single/s': baseline.rate,
      'batch p50': own.p50,
      'batch p99': own.p99,
      errors: own.errors + baseline.errors,
    });
  }
  await roost.stop();
}

async function prepare(origin) {
  const call = async (method, path, body, token) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: token }) };
    const response = await fetch(origin + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const identity = { identity: 'root@example.com', password: PASSWORD };
  const { token } = await call('POST', '/api/collections/_superusers/auth-with-password', identity);
  await call('POST', '/api/collections', COLLECTION, token);
  await call('PATCH', '/api/settings', { batch: { enabled: true, maxRequests: SIZE, timeout: 30 } }, token);
}

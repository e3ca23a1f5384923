const SIZE = 100;
const NOTES = '/api/collections/notes/records';
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
  const roost = await bench.roost();
  const token = await roost.setUp();
  await roost.load.call('POST', '/api/collections', { token, body: COLLECTION });
  const batch = { enabled: true, maxRequests: SIZE, timeout: 30 };
  await roost.load.call('PATCH', '/api/settings', { token, body: { batch } });

  const record = { title: 'A note', n: 5, tags: ['a', 'b'] };
  const requests = Array.from({ length: SIZE }, () => ({ method: 'POST', url: NOTES, body: record }));
  const many = { method: 'POST', path: '/api/batch', body: JSON.stringify({ requests }) };
  const single = { method: 'POST', path: NOTES, body: JSON.stringify(record) };
  for (const connections of [1, 8]) {
    await bench.compare(`batches of ${SIZE} creates, ${connections} client${connections > 1 ? 's' : ''}`, {
      own: () => roost.load.run(many, { connections }),
      to: 'single creates, by creates per second',
      baseline: () => roost.load.run(single, { connections }),
      ratio: (own, baseline) => (own.rate * SIZE) / baseline.rate,
      figures: (own) => ({ 'creates/s': own.rate * SIZE, 'CPU ms of a create': own.cost / SIZE }),
    });
  }
}

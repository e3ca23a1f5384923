// The baseline: Fastify without anything, over the same database file with the same driver and prepared statements, over
// the same folder of files with @fastify/static, and with sharp for the same images.
import { join } from 'node:path';
import { fastify } from 'fastify';
import { Database } from './sqlite.mjs';

const [file, table = 'posts', folder] = process.argv.slice(2);
const app = fastify({ logger: false });
app.get('/health', () => ({ code: 200, message: 'API is healthy.', data: {} }));

if (file) {
  const reader = new Database(file, { readonly: true });
  const writer = new Database(file);
  writer.pragma('journal_mode = WAL');
  writer.pragma('synchronous = NORMAL');
  const view = reader.prepare(`SELECT * FROM ${table} WHERE id = ?`);
  const list = reader.prepare(`SELECT * FROM ${table} ORDER BY rowid LIMIT 30`);
  const insert = writer.prepare(
    `INSERT INTO ${table} (id, title, body, views, published, tags, author, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  app.get('/view/:id', (request) => view.get(request.params.id));
  app.get('/list', () => ({ items: list.all() }));
  let next = 0;
  app.post('/create', (request) => {
    const id = `bare${String(next++).padStart(11, '0')}`;
    const now = new Date().toISOString().replace('T', ' ');
    insert.run(id, request.body.title, request.body.body, 0, 0, '[]', request.body.author, now, now);
    return { id, ...request.body };
  });
}

if (folder) {
  const { default: fastifyStatic } = await import('@fastify/static');
  await app.register(fastifyStatic, { root: folder, prefix: '/files/' });
  // What sharp alone does for a thumbnail of 100x100.
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  app.get('/thumbnail/:name', (request) => {
    const source = join(folder, request.params.name);
    const image = sharp(source).autoOrient().resize({ width: 100, height: 100, fit: 'cover' });
    return image.jpeg({ quality: 90 }).toFile(`${source}.thumbnail`);
  });
}
await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`listening at http://127.0.0.1:${app.server.address().port}`);

// The baseline on PostgreSQL: Fastify with `pg`, over the same tables, each statement prepared once for each connection.
import { fastify } from 'fastify';
import pg from 'pg';

const [url, table] = process.argv.slice(2);
const app = fastify({ logger: false });
const pool = new pg.Pool({ connectionString: url, max: 10 });
const columns = 'id, title, body, views, published, tags, author, created, updated';
const view = { name: 'view', text: `SELECT ${columns} FROM "${table}" WHERE id = $1` };
const list = { name: 'list', text: `SELECT ${columns} FROM "${table}" ORDER BY "_rowid_" LIMIT 30` };
const insert = {
  name: 'insert',
  text: `INSERT INTO "${table}" (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};

app.get('/view/:id', (request) => pool.query({ ...view, values: [request.params.id] }).then(({ rows }) => rows[0]));
app.get('/list', () => pool.query(list).then(({ rows }) => ({ items: rows })));
let next = 0;
app.post('/create', (request) => {
  const { title, body, views, published, tags, author } = request.body;
  const id = `bare${String(next++).padStart(11, '0')}`;
  const now = new Date().toISOString().replace('T', ' ');
  const values = [id, title, body, views, published, JSON.stringify(tags), author, now, now];
  return pool.query({ ...insert, values }).then(() => ({ ...request.body, id }));
});

await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`listening at http://127.0.0.1:${app.server.address().port}`);

import { existsSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { command } from './command.js';
import { start, workspace } from './workspace.js';

const PASSWORD = 'horse-battery';

describe.skipIf(PostgresCluster.programs === undefined)('SCALE-18 a database that cannot be used', () => {
  let cluster: PostgresCluster;
  /** Without a certificate. */
  let plain: PostgresCluster;

  beforeAll(async () => {
    [cluster, plain] = await Promise.all([PostgresCluster.start({ tls: true }), PostgresCluster.start()]);
    await cluster.administer(`CREATE ROLE guarded LOGIN PASSWORD '${PASSWORD}'`);
    await cluster.administer('CREATE ROLE weak LOGIN');
  });
  afterAll(async () => {
    await cluster.stop();
    await plain.stop();
  });

  /** What the program says about it, and leaves. */
  async function refusal(
    url: string,
    args: readonly string[] = ['serve', '--http=127.0.0.1:0'],
    run: typeof command = command,
  ): Promise<string> {
    const cwd = workspace();
    const { code, stdout, stderr } = await run([...args, '--dir=data'], cwd, { DATABASE_URL: url });
    expect({ code, stdout, left: existsSync(join(cwd, 'data')) }).toEqual({ code: 1, stdout: '', left: false });
    expect(stderr).toMatch(/^Error: The database \S+ [^\n]+\n$/);
    expect(stderr).not.toContain(PASSWORD);
    return stderr;
  }

  /** The names of all relations of a database that are not the server's own. */
  async function relationsOf(url: string): Promise<string[]> {
    return (
      await query(url, "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1")
    ).map(({ relname }) => relname as string);
  }

  async function query(url: string, ...statements: readonly string[]): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      let rows: Record<string, unknown>[] = [];
      for (const sql of statements) ({ rows } = await client.query(sql));
      return rows;
    } finally {
      await client.end();
    }
  }

  const as = (url: string, who: string): string => url.replace('roost@', `${who}@`);

  it('because nobody is there', async () => {
    const url = as(cluster.url, `roost:${PASSWORD}`).replace(/:\d+$/, ':1/roost');
    expect(await refusal(url)).toMatch(/127\.0\.0\.1:1\/roost cannot be used: .*ECONNREFUSED/);
    expect(await refusal(url, ['superuser', 'create', 'root@example.com', '1234567890'])).toMatch(/ECONNREFUSED/);
  });

  it('because its host has no address', async () => {
    expect(await refusal(`postgres://roost:${PASSWORD}@nowhere.invalid/roost`)).toMatch(/nowhere\.invalid/);
  });

  it('because it does not exist', async () => {
    const missing = /database "nowhere" does not exist/;
    expect(await refusal(`${cluster.url}/nowhere`)).toMatch(missing);
    const asProcess: typeof command = (...given) => start(...given).finished();
    expect(await refusal(`${cluster.url}/nowhere`, ['serve', '--http=127.0.0.1:0'], asProcess)).toMatch(missing);
  });

  it('because the password is wrong or missing', async () => {
    const url = await cluster.newDatabase();
    expect(await refusal(as(url, `guarded:not-${PASSWORD}`))).toMatch(/password authentication failed/);
    expect(await refusal(as(url, 'guarded'))).toMatch(/password/);
  });

  it('because it has tables of another program, which stay as they are', async () => {
    const url = await cluster.newDatabase();
    await query(url, 'CREATE TABLE theirs (id int)');
    expect(await refusal(url)).toMatch(/tables of another program/);
    expect(await relationsOf(url)).toEqual(['theirs']);
  });

  it('because a newer version made it', async () => {
    const url = await cluster.newDatabase();
    await query(
      url,
      'CREATE TABLE _system_migrations (id serial, "timestamp" bigint, name text)',
      'INSERT INTO _system_migrations ("timestamp", name) VALUES (1999999999999, \'FromTheFuture1999999999999\')',
    );
    expect(await refusal(url)).toMatch(/newer version; this one does not know FromTheFuture/);
    expect(await relationsOf(url)).toEqual(['_system_migrations', '_system_migrations_id_seq']);
  });

  it('because the role may not create tables in it', async () => {
    const url = await cluster.newDatabase();
    await query(url, 'REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    expect(await refusal(as(url, 'weak'))).toMatch(/may not create tables in the schema public/);
    expect(await relationsOf(url)).toEqual([]);
  });

  it('because the role may not connect to it', async () => {
    const url = await cluster.newDatabase();
    await query(url, `REVOKE CONNECT ON DATABASE ${new URL(url).pathname.slice(1)} FROM PUBLIC`);
    expect(await refusal(as(url, 'weak'))).toMatch(/permission denied/);
  });

  it('because it is empty and its server only reads', async () => {
    const url = await cluster.newDatabase();
    await cluster.administer(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
    expect(await refusal(url)).toMatch(/it is empty, and its server only reads/);
    expect(await relationsOf(url)).toEqual([]);
  });

  it('because sslmode is no word that is known', async () => {
    const url = `${await cluster.newDatabase()}?sslmode=requier`;
    expect(await refusal(url)).toMatch(/sslmode=requier is none of disable, prefer, require, verify-ca, verify-full/);
  });

  it('because none of its servers is there', async () => {
    const url = as(cluster.url, `roost:${PASSWORD}`).replace(/:\d+$/, ':1,127.0.0.1:2/roost');
    expect(await refusal(url)).toMatch(/127\.0\.0\.1:1,127\.0\.0\.1:2\/roost cannot be used: .*ECONNREFUSED/);
  });

  it('because its texts are not UTF-8', async () => {
    const url = await cluster.newDatabase("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    expect(await refusal(url)).toMatch(/its encoding is LATIN1 and not UTF8/);
    expect(await relationsOf(url)).toEqual([]);
  });

  it('because it is older than 14', async () => {
    const { port } = (await olderServer()).address() as AddressInfo;
    expect(await refusal(`postgres://roost:${PASSWORD}@127.0.0.1:${port}/old`)).toMatch(
      /PostgreSQL 13\.9 is too old; 14 is the oldest/,
    );
  });

  it.each(['require', 'verify-ca', 'verify-full'])('because it does not speak TLS, with sslmode=%s', async (mode) => {
    const url = `${await plain.newDatabase()}?sslmode=${mode}`;
    expect(await refusal(url)).toMatch(mode === 'verify-ca' ? /sslrootcert/ : /does not support SSL/);
  });

  it('because nobody vouches for its certificate, with sslmode=verify-full', async () => {
    const url = await cluster.newDatabase();
    expect(await refusal(`${url}?sslmode=verify-full`)).toMatch(/self-signed certificate/);
    expect(await relationsOf(url)).toEqual([]);
  });

  it('is used with sslmode=require, which asks for no certificate', async () => {
    const url = await cluster.newDatabase();
    const cwd = workspace();
    const args = ['superuser', 'create', 'root@example.com', '1234567890', '--dir=data'];
    const { code, stderr } = await command(args, cwd, { DATABASE_URL: `${url}?sslmode=require` });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(await relationsOf(url)).toContain('_superusers');
  });
});

/** Says of itself that it is PostgreSQL 13, and knows nothing else. */
async function olderServer(): Promise<Server> {
  const server = createServer((socket) => {
    let hasBegun = false;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (!hasBegun) {
        hasBegun = true;
        socket.write(Buffer.concat([message('R', int32(0)), message('Z', Buffer.from('I'))]));
      } else if (data[0] === 'Q'.charCodeAt(0)) {
        const columns = [
          ['number', 23],
          ['name', 25],
          ['encoding', 25],
        ] as const;
        const described = columns.map(([name, type]) =>
          Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)]),
        );
        const values = ['130009', '13.9', 'UTF8'].map((value) =>
          Buffer.concat([int32(value.length), Buffer.from(value)]),
        );
        socket.write(
          Buffer.concat([
            message('T', int16(columns.length), ...described),
            message('D', int16(values.length), ...values),
            message('C', text('SELECT 1')),
            message('Z', Buffer.from('I')),
          ]),
        );
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return server;
}

/** A message of the server (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
function message(kind: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`);
}

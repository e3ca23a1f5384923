import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MULTIPART_TYPE, multipartBody } from '../support/multipart.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { MAIN, RoostProcess } from '../support/roost-process.js';

const OPEN = { listRule: '', viewRule: '', createRule: '', deleteRule: '' };
const COLLECTIONS = [
  { ...OPEN, name: 'docs', type: 'base', fields: [{ type: 'file', name: 'file', maxSize: 100_000_000 }] },
  { ...OPEN, name: 'held', type: 'base', fields: [] },
];
/** So much that its restore lasts until it is noticed. */
const LARGE = randomBytes(8 * 1024 * 1024);

/** What does not ask the link between servers is tested without one. */
const isAlone = (how: string) => how !== '--shared';

interface Server {
  readonly process: RoostProcess;
  readonly address: string;
}

interface Doc {
  readonly id: string;
  readonly file: string;
}

describe.skipIf(PostgresCluster.programs === undefined).each(['--shared', 'nothing that links them'])(
  'servers on one data directory, with %s',
  (how) => {
    let cluster: PostgresCluster;
    let parent: string;
    let dir: string;
    let env: Record<string, string>;
    let first: Server;
    let token = '';
    const running: RoostProcess[] = [];
    const clients: pg.Client[] = [];

    const roost = (...args: string[]) => {
      const process = new RoostProcess([...args, `--dir=${dir}`], { cwd: parent, env });
      running.push(process);
      return process;
    };
    const serve = async (...flags: string[]): Promise<Server> => {
      const process = roost('serve', '--http=127.0.0.1:0', ...flags);
      return { process, address: await process.address() };
    };
    const ask = (method: string, { address }: Server, path: string, body?: object) =>
      fetch(`${address}/api/${path}`, {
        method,
        headers: { authorization: token, 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
      });
    const send = async ({ address }: Server, content: Buffer): Promise<Doc> => {
      const body = new Uint8Array(multipartBody([{ key: 'file', fileName: 'a.bin', content }]));
      const headers = { 'content-type': MULTIPART_TYPE };
      const response = await fetch(`${address}/api/collections/docs/records`, { method: 'POST', headers, body });
      if (response.status !== 200) throw new Error(await response.text());
      return (await response.json()) as Doc;
    };
    const contentOf = async ({ address }: Server, { id, file }: Doc) => {
      const response = await fetch(`${address}/api/files/docs/${id}/${file}`);
      return [response.status, Buffer.from(await response.arrayBuffer()).toString()];
    };
    const temp = () => readdirSync(join(dir, '.temp'));
    /** Sends the first half of a form; what it is waiting for is the rest. */
    const begin = async ({ address }: Server, content: Buffer): Promise<{ upload: ClientRequest; rest: Buffer }> => {
      const before = temp().length;
      const upload = request(`${address}/api/collections/docs/records`, {
        method: 'POST',
        headers: { 'content-type': MULTIPART_TYPE },
      });
      upload.on('error', () => undefined);
      const body = multipartBody([{ key: 'file', fileName: 'a.bin', content }]);
      upload.write(body.subarray(0, body.length / 2));
      await expect.poll(() => temp().length).toBe(before + 1);
      return { upload, rest: body.subarray(body.length / 2) };
    };
    /** Holds a table, so that whoever writes to it has to wait, or whoever reads it too. */
    const hold = async (table: string, mode: 'EXCLUSIVE' | 'ACCESS EXCLUSIVE'): Promise<pg.Client> => {
      const client = new pg.Client({ connectionString: env['DATABASE_URL'] });
      clients.push(client);
      await client.connect();
      await client.query(`BEGIN; LOCK TABLE "${table}" IN ${mode} MODE`);
      return client;
    };
    const lastRestore = async (server: Server) => {
      const { data } = (await (await ask('GET', server, 'health')).json()) as {
        data: { canBackup?: boolean; lastRestore?: { outcome: string; reason: string } };
      };
      return data.canBackup ? data.lastRestore : undefined;
    };

    beforeAll(async () => {
      parent = mkdtempSync(join(tmpdir(), 'roost-shared-'));
      dir = join(parent, 'data');
      cluster = await PostgresCluster.start();
      env = { DATABASE_URL: await cluster.newDatabase(), ...(how === '--shared' && { ROOST_SHARED: 'true' }) };
      const upsert = ['superuser', 'upsert', 'a@example.com', 'correct horse', `--dir=${dir}`];
      execFileSync(process.execPath, [MAIN, ...upsert], { cwd: parent, env: { ...process.env, ...env } });
      first = await serve();
      const login = { identity: 'a@example.com', password: 'correct horse' };
      const answer = await ask('POST', first, 'collections/_superusers/auth-with-password', login);
      ({ token } = (await answer.json()) as { token: string });
      expect((await ask('PUT', first, 'collections/import', { collections: COLLECTIONS })).status).toBe(204);
    }, 120_000);
    afterEach(async () => {
      for (const client of clients.splice(0)) await client.end();
      for (const process of running.splice(0)) if (process !== first.process) await process.stop('SIGKILL');
    });
    afterAll(async () => {
      await first.process.stop('SIGKILL');
      await cluster.stop();
      rmSync(parent, { recursive: true, force: true });
    });

    it('OPS-177 SCALE-26 FS-22 a start removes what a killed one was receiving, and nothing of one that lives', async () => {
      const killed = await serve();
      const lost = await begin(killed, Buffer.alloc(1_000_000, 'lost'));
      await killed.process.stop('SIGKILL');
      lost.upload.destroy();
      const content = Buffer.alloc(1_000_000, 'kept');
      const { upload, rest } = await begin(first, content);
      expect(temp()).toHaveLength(2);
      const second = await serve();
      expect(temp()).toHaveLength(1);
      expect(existsSync(join(dir, 'roost.lock'))).toBe(false);
      const answer = new Promise<Doc>((resolve, reject) => {
        upload.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()) as Doc));
        });
        upload.on('error', reject);
      });
      upload.end(rest);
      expect(await contentOf(second, await answer)).toEqual([200, content.toString()]);
      expect(temp()).toEqual([]);
    });

    it('OPS-177 FS-96 a start leaves alone the files that another server stores for records not committed yet', async () => {
      const lock = await hold('docs', 'EXCLUSIVE');
      const body = new Uint8Array(multipartBody([{ key: 'file', fileName: 'a.txt', content: Buffer.from('stored') }]));
      const stored = () => readdirSync(join(dir, 'storage'), { recursive: true }).length;
      const before = stored();
      const answer = fetch(`${first.address}/api/collections/docs/records`, {
        method: 'POST',
        headers: { 'content-type': MULTIPART_TYPE },
        body,
      });
      await expect.poll(stored).toBeGreaterThan(before);
      const second = await serve();
      // Its own removals are carried out when this one is.
      await lock.end();
      const doc = (await (await answer).json()) as Doc;
      const other = await send(second, Buffer.from('other'));
      await ask('DELETE', second, `collections/docs/records/${other.id}`);
      await expect.poll(async () => (await contentOf(second, other))[0]).toBe(404);
      expect(await contentOf(second, doc)).toEqual([200, 'stored']);
    });

    it('OPS-177 SCALE-26 a backup has every file, whatever other servers start and delete meanwhile', async () => {
      const second = await serve();
      const doc = await send(first, Buffer.from('of the backup'));
      const lock = await hold('held', 'ACCESS EXCLUSIVE');
      const made = ask('POST', first, 'backups', { name: `${how.length}.zip` });
      // It has begun to read when it waits for the table.
      const waiting = 'SELECT pid FROM pg_locks WHERE NOT granted';
      await expect.poll(async () => (await lock.query(waiting)).rows.length).toBe(1);
      expect(temp()).toHaveLength(1);
      expect((await ask('DELETE', second, `collections/docs/records/${doc.id}`)).status).toBe(204);
      await serve('--workers=2');
      expect(temp()).toHaveLength(1);
      await lock.end();
      expect((await made).status).toBe(204);
      const listed = execFileSync('unzip', ['-l', join(dir, 'backups', `${how.length}.zip`)], { encoding: 'utf8' });
      expect(listed).toContain(doc.file);
      // And then it goes.
      const folder = readdirSync(join(dir, 'storage')).find((name) => existsSync(join(dir, 'storage', name, doc.id)));
      await expect.poll(() => folder !== undefined && existsSync(join(dir, 'storage', folder, doc.id))).toBe(false);
    });

    it.runIf(isAlone(how))(
      'OPS-177 OPS-175 makes a backup by the command beside them, and restores by it only where nobody serves',
      async () => {
        const doc = await send(first, Buffer.from('here'));
        const made = await roost('backup', 'create', 'command.zip').finished();
        expect(made).toMatchObject({ code: 0, stdout: 'Made the backup command.zip.\n' });
        const restored = await roost('backup', 'restore', '--yes', join(dir, 'backups', 'command.zip')).finished();
        expect(restored.code).toBe(1);
        expect(restored.stderr).toContain(`The data directory ${dir} is in use by another instance.`);
        expect(await contentOf(first, doc)).toEqual([200, 'here']);
      },
    );

    it('OPS-177 SCALE-26 a server restores only while it is alone', async () => {
      expect((await ask('POST', first, 'backups', { name: 'few.zip' })).status).toBe(204);
      await serve();
      expect((await ask('POST', first, 'backups/few.zip/restore')).status).toBe(204);
      await expect
        .poll(() => lastRestore(first), { timeout: 30_000 })
        .toMatchObject({
          outcome: 'failed',
          reason: expect.stringMatching(/in use by another instance|Other instances serve/) as string,
        });
    });

    it.runIf(isAlone(how))('OPS-177 SCALE-26 no server starts while another one restores', async () => {
      const large = await send(first, LARGE);
      expect((await ask('POST', first, 'backups', { name: 'all.zip' })).status).toBe(204);
      const late = await send(first, Buffer.from('after the backup'));
      expect((await ask('POST', first, 'backups/all.zip/restore')).status).toBe(204);
      while (!existsSync(join(dir, '.temp', 'restore'))) await sleep(2);
      first.process.child.kill('SIGSTOP');
      expect(existsSync(join(dir, '.temp', 'restore'))).toBe(true);
      const refused = await roost('serve', '--http=127.0.0.1:0').finished();
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`${dir} is in use by another instance, which restores a backup`);
      expect(existsSync(join(dir, '.temp', 'restore'))).toBe(true);
      first.process.child.kill('SIGCONT');
      await expect.poll(() => lastRestore(first), { timeout: 60_000 }).toMatchObject({ outcome: 'restored' });
      const third = await serve();
      for (const server of [first, third]) {
        expect((await contentOf(server, late))[0]).toBe(404);
        expect((await contentOf(server, large))[1]).toHaveLength(LARGE.toString().length);
      }
      await third.process.stop();
    });

    it.runIf(isAlone(how))('OPS-177 OPS-105 the next start takes a restore back that was killed', async () => {
      const kept = await send(first, Buffer.from('kept'));
      expect((await ask('POST', first, 'backups/all.zip/restore')).status).toBe(204);
      while (!existsSync(join(dir, '.temp', 'restore'))) await sleep(2);
      await first.process.stop('SIGKILL');
      expect(temp()).not.toEqual([]);
      writeFileSync(join(dir, '.temp', 'of nobody'), 'left by a version before');
      // Two at once, of which one tidies up.
      const [one, two] = await Promise.all([serve(), serve()]);
      expect(temp()).toEqual([]);
      expect(readdirSync(join(dir, 'storage')).filter((name) => name.startsWith('.'))).toEqual([]);
      expect(readdirSync(join(dir, '.processes')).filter((name) => name.startsWith('p_'))).toHaveLength(2);
      for (const server of [one, two]) expect(await contentOf(server, kept)).toEqual([200, 'kept']);
    });
  },
);

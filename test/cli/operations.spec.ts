import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { CLUSTER, databaseFor } from '../support/postgres-databases.js';
import { command } from './command.js';
import { start, workspace } from './workspace.js';

/** Where the suite is on PostgreSQL: a database for each test. */
let env: Record<string, string>;
beforeEach(async () => {
  env = CLUSTER === undefined ? {} : { DATABASE_URL: await databaseFor() };
});

const roost = (cwd: string, ...args: string[]) => start([...args, '--dir=data'], cwd, env);
/** As a process of its own. */
const finished = (cwd: string, ...args: string[]) => roost(cwd, ...args).finished();
const done = (cwd: string, ...args: string[]) => command([...args, '--dir=data'], cwd, env);
const POSTS = `export const up = (app) => app.collections.save({ name: 'posts', type: 'base', listRule: '' });
export const down = (app) => app.collections.delete('posts');
`;

describe('migrate', () => {
  it('OPS-186 OPS-187 OPS-163 applies, reverts and forgets migrations', async () => {
    const cwd = workspace();
    const dir = join(cwd, 'roost_migrations');
    mkdirSync(dir);
    writeFileSync(join(dir, '100_posts.js'), POSTS);
    expect(await finished(cwd, 'migrate')).toMatchObject({ code: 0, stdout: 'Applied 100_posts.js\n' });
    expect(await done(cwd, 'migrate', 'up')).toMatchObject({ code: 0, stdout: 'There is nothing to apply.\n' });
    const unasked = await done(cwd, 'migrate', 'down');
    expect(unasked.code).toBe(1);
    expect(unasked.stderr).toContain('--yes');
    expect(await done(cwd, 'migrate', 'down', '--yes')).toMatchObject({
      code: 0,
      stdout: 'Reverted 100_posts.js\n',
    });
    expect((await done(cwd, 'migrate', 'down', 'x', '--yes')).code).toBe(2);
    await done(cwd, 'migrate', 'up');
    rmSync(join(dir, '100_posts.js'));
    expect(await done(cwd, 'migrate', 'down')).toMatchObject({
      code: 0,
      stdout: 'Skipped 100_posts.js, which was applied but has no file\nThere is nothing to take back.\n',
    });
    expect(await done(cwd, 'migrate', 'history-sync')).toMatchObject({ code: 0, stdout: 'Forgot 100_posts.js\n' });
  });

  it('OPS-185 OPS-163 a migration that fails keeps the server from starting', async () => {
    const cwd = workspace();
    mkdirSync(join(cwd, 'roost_migrations'));
    writeFileSync(join(cwd, 'roost_migrations', '100_broken.js'), `export const up = () => { throw new Error('no') };`);
    const { code, stderr } = await finished(cwd, 'serve', '--http=127.0.0.1:0');
    expect(code).toBe(1);
    expect(stderr).toContain('100_broken.js');
    expect(
      stderr
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('Error:')),
    ).toHaveLength(1);
  });

  it('OPS-175 OPS-177 OPS-186 writes migrations, create without a data directory and collections beside a server', async () => {
    const cwd = workspace();
    const created = await finished(cwd, 'migrate', 'create', 'Add posts', '--yes');
    expect(created).toMatchObject({ code: 0 });
    expect(created.stdout.trim()).toMatch(/\d+_add_posts\.js$/);
    expect(existsSync(join(cwd, 'data'))).toBe(false);
    const server = roost(cwd, 'serve', '--http=127.0.0.1:0');
    await server.address();
    const snapshot = await finished(cwd, 'migrate', 'collections', '--yes');
    expect(snapshot.stdout.trim()).toMatch(/\d+_collections_snapshot\.js$/);
    const { stdout, stderr } = await finished(cwd, 'migrate', 'up');
    // The server has applied the first one at its start, and the snapshot counts as applied.
    if (CLUSTER) expect(stdout).toBe('There is nothing to apply.\n');
    else expect(stderr).toContain('database is locked');
  });

  it('OPS-186 OPS-163 refuses a folder that was named and does not exist', async () => {
    const cwd = workspace();
    const { code, stdout, stderr } = await done(cwd, 'migrate', '--migrationsDir=typo');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(`Error: The folder of the migrations does not exist: ${join(cwd, 'typo')}\n`);
  });

  it('OPS-185 serves without it, and says so', async () => {
    const server = roost(workspace(), 'serve', '--http=127.0.0.1:0', '--migrationsDir=typo');
    await server.address();
    expect((await server.stop()).stderr).toContain('The folder of the migrations does not exist');
  });

  it('OPS-186 warns of broken views in the snapshot', async () => {
    const cwd = workspace();
    const dir = join(cwd, 'roost_migrations');
    mkdirSync(dir);
    writeFileSync(join(dir, '100_posts.js'), POSTS);
    const titles = `{ name: 'titles', type: 'view', viewQuery: 'SELECT id, listed FROM posts' }`;
    writeFileSync(
      join(dir, '200_titles.js'),
      `export async function up(app) {
        await app.collections.change('posts', { fields: { save: [{ id: 'bool1', name: 'listed', type: 'bool' }] } });
        await app.collections.save(${titles});
        await app.collections.change('posts', { fields: { save: [{ id: 'bool1', name: 'shown', type: 'bool' }] } });
      };`,
    );
    expect((await done(cwd, 'migrate')).code).toBe(0);
    const { code, stdout, stderr } = await done(cwd, 'migrate', 'collections', '--yes');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\S+_collections_snapshot\.js\n$/);
    expect(stderr).toMatch(/^Warning: The view titles is broken and will come back so: .*titles/m);
    expect((await done(cwd, 'migrate')).stdout).toBe('There is nothing to apply.\n');
  });
});

describe('backup', () => {
  it('OPS-109 OPS-177 makes and restores backups on a stopped application, also over a damaged database', async () => {
    const cwd = workspace();
    mkdirSync(join(cwd, 'roost_migrations'));
    writeFileSync(join(cwd, 'roost_migrations', '100_posts.js'), POSTS);
    await done(cwd, 'migrate');
    expect(await finished(cwd, 'backup', 'create', 'one.zip')).toMatchObject({
      code: 0,
      stdout: 'Made the backup one.zip.\n',
    });
    expect((await done(cwd, 'backup', 'create', 'no?.zip')).code).toBe(1);
    const zip = join('data', 'backups', 'one.zip');
    expect((await finished(cwd, 'backup', 'restore', zip)).stderr).toContain('--yes');
    expect((await done(cwd, 'backup', 'restore', 'nothing.zip', '--yes')).code).toBe(1);
    writeFileSync(join(cwd, 'data', 'data.db'), 'damaged');
    const { code, stdout, stderr } = await finished(cwd, 'backup', 'restore', zip, '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Restored');
    expect(readdirSync(join(cwd, 'data', '.temp'))).toEqual([]);
    const server = roost(cwd, 'serve', '--http=127.0.0.1:0');
    expect((await fetch(`${await server.address()}/api/collections/posts/records`)).status).toBe(200);
    if (!CLUSTER) return expect((await done(cwd, 'backup', 'create')).stderr).toContain('database is locked');
    expect((await done(cwd, 'backup', 'create', 'two.zip')).stdout).toBe('Made the backup two.zip.\n');
    const { stderr: refused } = await done(cwd, 'backup', 'restore', join(cwd, zip), '--yes');
    expect(refused).toContain(`The data directory ${join(cwd, 'data')} is in use by another instance.`);
  });
});

it('FS-50 OPS-163 files copy needs to know where to, and says what it did', async () => {
  const cwd = workspace();
  expect((await done(cwd, 'files', 'copy')).code).toBe(2);
  expect((await done(cwd, 'files', 'copy', '--to=moon')).code).toBe(2);
});

describe('--https', () => {
  function certificate(cwd: string, name: string): void {
    const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const files = ['-keyout', join(cwd, 'key.pem'), '-out', join(cwd, 'cert.pem')];
    execFileSync('openssl', [...args, ...files, '-subj', `/CN=${name}`], { stdio: 'ignore' });
  }

  interface Answer {
    readonly status: number | undefined;
    readonly name: string | undefined;
    readonly hsts: string | undefined;
  }

  function get(url: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asked = request(url, { rejectUnauthorized: false, agent: false }, (response) => {
        response.resume();
        const name = (response.socket as TLSSocket).getPeerCertificate().subject?.CN;
        const hsts = response.headers['strict-transport-security'];
        response.on('end', () => resolve({ status: response.statusCode, name: String(name), hsts }));
      });
      asked.on('error', reject).end();
    });
  }

  it('OPS-162 OPS-33a serves with a certificate and HSTS, leads there from HTTP, and reads it again on SIGHUP', async () => {
    const cwd = workspace();
    certificate(cwd, 'first');
    const port = await freePort();
    const flags = ['--https=127.0.0.1:0', `--http=127.0.0.1:${port}`, '--tlsCert=cert.pem', '--tlsKey=key.pem'];
    const server = roost(cwd, 'serve', ...flags);
    const address = await server.address();
    expect(address).toMatch(/^https:/);
    const hsts = 'max-age=31536000';
    expect(await get(`${address}/api/health`)).toEqual({ status: 200, name: 'first', hsts });
    for (const path of ['/api/nowhere', '/_/', '/api/files/a/b/c']) {
      expect(await get(address + path), path).toMatchObject({ hsts });
    }
    const redirect = await fetch(`http://127.0.0.1:${port}/api/health?a=1`, { redirect: 'manual' });
    expect([redirect.status, redirect.headers.get('location')]).toEqual([308, `${address}/api/health?a=1`]);
    expect(redirect.headers.get('x-content-type-options')).toBe('nosniff');
    // Browsers do not believe it where it could be anybody's word.
    expect(redirect.headers.get('strict-transport-security')).toBeNull();
    certificate(cwd, 'second');
    server.child.kill('SIGHUP');
    await expect.poll(async () => (await get(`${address}/api/health`)).name).toBe('second');
    expect((await server.stop()).code).toBe(0);
  });

  it('OPS-162 CONV-1 leads whoever sends a large body, and refuses who names no host', async () => {
    const cwd = workspace();
    certificate(cwd, 'a');
    const port = await freePort();
    const flags = ['--https=127.0.0.1:0', `--http=127.0.0.1:${port}`, '--tlsCert=cert.pem', '--tlsKey=key.pem'];
    const server = roost(cwd, 'serve', ...flags);
    await server.address();
    const upload = { method: 'POST', body: new Uint8Array(30_000_000), redirect: 'manual' } as const;
    expect((await fetch(`http://127.0.0.1:${port}/api/files`, upload)).status).toBe(308);
    for (const head of ['GET / HTTP/1.1', 'GET / HTTP/1.1\r\nHost: a b', 'nonsense']) {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8');
      socket.write(`${head}\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [string];
      socket.destroy();
      expect(answer, head).toMatch(/^HTTP\/1\.1 400 [^]*x-content-type-options: nosniff[^]*"code":400/);
    }
  });

  it('OPS-162 OPS-163 needs both files, and files that can be used', async () => {
    const cwd = workspace();
    expect((await done(cwd, 'serve', '--https=127.0.0.1:0')).code).toBe(2);
    writeFileSync(join(cwd, 'cert.pem'), 'nothing');
    const flags = ['--https=127.0.0.1:0', '--http=127.0.0.1:0', '--tlsCert=cert.pem', '--tlsKey=cert.pem'];
    const { code, stderr } = await done(cwd, 'serve', ...flags);
    expect(code).toBe(1);
    expect(stderr).toContain('certificate');
  });
});

describe('commands that work on data', () => {
  it.skipIf(CLUSTER).each([
    ['backup', 'create', 'nightly.zip'],
    ['files', 'copy', '--to=local'],
  ])('OPS-160 OPS-163 refuse a directory without any, and make none: %s', async (...args) => {
    const cwd = workspace();
    expect(await command([...args, '--dir=dta'], cwd)).toEqual({
      code: 1,
      stdout: '',
      stderr: `Error: There is no database in the data directory ${join(cwd, 'dta')}. Is --dir right?\n`,
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.skipIf(CLUSTER)(
    'OPS-160 OPS-163 refuse a directory to which no interrupted restore brings data back',
    async () => {
      const cwd = workspace();
      mkdirSync(join(cwd, 'data', '.temp'), { recursive: true });
      const { code, stderr } = await done(cwd, 'backup', 'create');
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('There is no database in') });
      expect(existsSync(join(cwd, 'data', 'data.db'))).toBe(false);
    },
  );
});

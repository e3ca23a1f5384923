import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RoostProcess } from '../support/roost-process.js';
import { databaseOf } from '../support/roost.js';
import { command } from './command.js';

const PASSWORD = 'planted-password';

let database: Readonly<Record<string, string>>;
let cwd: string;
let running: RoostProcess[];
let origin: string;
let token: string;

beforeEach(async () => {
  running = [];
  token = '';
  cwd = mkdtempSync(join(tmpdir(), 'roost-running-'));
  database = await databaseOf(cwd);
  expect((await command(['superuser', 'upsert', 'root@example.com', PASSWORD], cwd, database)).code).toBe(0);
});
afterEach(async () => {
  for (const process of running) await process.stop('SIGKILL');
  rmSync(cwd, { recursive: true, force: true });
});

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): RoostProcess {
  const process = new RoostProcess(args, { cwd, env: { ...database, ...env } });
  running.push(process);
  return process;
}

function roost(...args: string[]): RoostProcess {
  return start(args);
}

/** A server, and somebody signed in to it. */
async function serve(flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<RoostProcess> {
  const server = start(['serve', '--http=127.0.0.1:0', ...flags], env);
  origin = await server.address();
  const identity = { identity: 'root@example.com', password: PASSWORD };
  const answer = await call('POST', '/api/collections/_superusers/auth-with-password', identity);
  token = ((await answer.json()) as { token: string }).token;
  return server;
}

function call(method: string, path: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: token };
  return fetch(origin + path, { method, headers, body: body && JSON.stringify(body) });
}

describe('a running server', () => {
  it('OPS-8 does what it is told when superusers lock themselves out, and `superuser ips` lets them in again', async () => {
    await serve();
    expect((await call('PATCH', '/api/settings', { superuserIPs: ['10.9.8.7'] })).status).toBe(200);
    expect((await call('GET', '/api/settings')).status).toBe(403);
    expect((await roost('superuser', 'ips').finished()).code).toBe(0);
    await expect.poll(async () => (await call('GET', '/api/settings')).status, { timeout: 10_000 }).toBe(200);
  });

  it('OPS-88 prints entries of any level and every statement with --dev, and no secret', async () => {
    const server = await serve(['--dev']);
    await call('PATCH', '/api/settings', { logs: { minLevel: 8 } });
    await call('GET', '/api/health?token=planted-token');
    await call('GET', '/api/nothing');
    const printed = () => server.stdout + server.stderr;
    await expect.poll(printed).toMatch(/GET \/api\/health\?token=\*\*\* 200 [\d.]+ ms/);
    await expect.poll(printed).toMatch(/GET \/api\/nothing 404 [\d.]+ ms/);
    expect(printed()).toMatch(/[\d.]+ ms  .*SELECT/);
    expect(printed()).toContain('\u001B[3');
    for (const secret of [PASSWORD, token, 'planted-token']) expect(printed()).not.toContain(secret);
  });

  it('OPS-173 holds its lock through everything that reads the data directory', async () => {
    await serve();
    const locked = async () => (await roost('serve', '--http=127.0.0.1:0').finished()).stderr;
    expect((await call('POST', '/api/backups', { name: 'a.zip' })).status).toBe(204);
    expect((await call('GET', '/api/health')).status).toBe(200);
    expect(await locked()).toContain('database is locked');
    expect((await call('POST', '/api/backups/a.zip/restore')).status).toBe(204);
    const canBackup = async () =>
      ((await (await call('GET', '/api/health')).json()) as { data: { canBackup?: boolean } }).data.canBackup;
    await expect.poll(canBackup, { timeout: 30_000 }).toBe(true);
    expect(await locked()).toContain('database is locked');
  });
});

describe('a server that is told to stop', () => {
  /** A request that never ends by itself. */
  async function hold(): Promise<void> {
    const headers = { 'content-type': 'application/json', 'content-length': '1000', authorization: token };
    const held = request(`${origin}/api/collections`, { method: 'POST', headers });
    held.on('error', () => {});
    held.write('{');
    const [socket] = await once(held, 'socket');
    if ((socket as { connecting: boolean }).connecting) await once(socket as never, 'connect');
    // The server has taken note of it when it answers the next one.
    await call('GET', '/api/health');
  }

  it('OPS-196 cuts off what is still running after its time, and rolls an open transaction back', async () => {
    const server = await serve([], { ROOST_SHUTDOWN_TIMEOUT: '1' });
    await call('POST', '/api/collections', { name: 'docs', type: 'base', fields: [{ name: 'n', type: 'number' }] });
    const numbers = 'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 1000000000)';
    const query = `INSERT INTO docs (id, n) ${numbers} SELECT 'r' || i, i FROM c`;
    const writing = call('POST', '/api/sql', { query }).then(
      ({ status }) => status,
      () => 'cut off',
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await server.stop()).code).toBe(0);
    expect(await writing).not.toBe(200);

    await serve();
    const list = await (await call('GET', '/api/collections/docs/records')).json();
    expect(list).toMatchObject({ totalItems: 0 });
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('OPS-196 ends at once at a second %s', async (signal, code) => {
    const server = await serve([], { ROOST_SHUTDOWN_TIMEOUT: '600' });
    await hold();
    server.child.kill(signal);
    await expect
      .poll(
        () =>
          fetch(`${origin}/api/health`).then(
            () => 'open',
            () => 'closed',
          ),
        { timeout: 10_000 },
      )
      .toBe('closed');
    expect(server.child.exitCode).toBeNull();
    server.child.kill(signal);
    expect((await server.finished()).code).toBe(code);
  });
});

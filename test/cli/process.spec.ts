import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command } from './command.js';
import { start, workspace } from './workspace.js';

const serve = (cwd: string, ...flags: string[]) =>
  start(['serve', '--http=127.0.0.1:0', `--dir=${cwd}/data`, ...flags], cwd);

describe('the command line', () => {
  it.each([
    [[]],
    [['--help']],
    [['superuser']],
    [['serve', '--help']],
    [['superuser', '--help']],
    [['superuser', 'create', '--help']],
  ])('OPS-160 prints help for %j to stdout, the flags included, and touches no data directory', async (args) => {
    const cwd = workspace();
    const { code, stdout, stderr } = await command(args, cwd);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: roost');
    expect(stdout).toContain('--dir=<path>');
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('OPS-163 ends well when nobody reads what it prints', async () => {
    const help = start(['--help']);
    help.child.stdout!.destroy();
    expect(await help.finished()).toMatchObject({ code: 0, stderr: '' });
  });

  it('OPS-195 serves on when nobody reads what it prints any more', async () => {
    const server = serve(workspace(), '--dev');
    const address = await server.address();
    server.child.stdout!.destroy();
    server.child.stderr!.destroy();
    for (let round = 0; round < 3; round++) expect((await fetch(`${address}/api/health`)).status).toBe(200);
    expect((await server.stop()).code).toBe(0);
  });

  it('OPS-160 prints help as a process of its own', async () => {
    expect(await start(['serve', '--help']).finished()).toEqual(await command(['serve', '--help']));
  });

  it('OPS-160 prints its version', async () => {
    const { code, stdout } = await start(['--version']).finished();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['nonsense'], "'nonsense'"],
    [['serv'], 'Did you mean serve?'],
    [['serve', '--nonsense'], "'--nonsense'"],
    [['serve', '--http=nowhere'], '--http'],
    [['superuser', 'nonsense'], "There is no command 'nonsense'"],
    [['superuser', 'create'], "'email'"],
    [['superuser', 'create', 'a@example.com'], "'pass'"],
    [['superuser', 'create', 'a@example.com', '1234567890', 'more'], "The argument 'more'"],
  ])('OPS-161 OPS-163 answers %j with exit code 2 and one line that names it', async (args, name) => {
    const { code, stdout, stderr } = await command(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(name);
    expect(stderr).toMatch(/^Error: .+\n$/);
  });

  it.each([
    [['example.com'], "The argument 'example.com'"],
    [['example.com', 'www.example.org'], "The argument 'example.com'"],
    [['--http=127.0.0.1:0', 'example.com'], "The argument 'example.com'"],
  ])('OPS-164 OPS-161 knows no domains to serve yet: %j is wrong usage, and nothing is made', async (args, name) => {
    const cwd = workspace();
    const { code, stdout, stderr } = await command(['serve', ...args], cwd);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(name);
    expect(stderr).toMatch(/^Error: .+\n$/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('OPS-163 ends with exit code 2 as a process of its own', async () => {
    expect(await start(['serve', '--nonsense']).finished()).toEqual(await command(['serve', '--nonsense']));
  });

  it('OPS-163 prints a result to stdout and nothing else, also while it tells what it does', async () => {
    const cwd = workspace();
    const { code, stdout, stderr } = await start(['types', '--dev', `--dir=${cwd}/data`], cwd).finished();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\/\/ Made by `roost types`/);
    expect(stderr).toContain('SELECT');
  });

  it('OPS-190 OPS-191 serves, prints its addresses, and OPS-195 stops with 0', async () => {
    const cwd = workspace();
    const server = serve(cwd);
    const address = await server.address();
    expect((await fetch(`${address}/api/health`)).status).toBe(200);
    expect(server.stdout).toMatch(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d Server started at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(server.stdout).toContain(`├─ REST API:  ${address}/api/\n`);
    expect(server.stdout).toContain(`└─ Dashboard: ${address}/_/\n`);
    expect(statSync(join(cwd, 'data')).mode & 0o777).toBe(0o700);
    expect(statSync(join(cwd, 'data', 'data.db')).mode & 0o777).toBe(0o600);
    expect((await server.stop()).code).toBe(0);
  });

  it('OPS-162 goes on when it is told to reload without a certificate', async () => {
    const server = serve(workspace());
    const address = await server.address();
    server.child.kill('SIGHUP');
    expect((await fetch(`${address}/api/health`)).status).toBe(200);
    expect((await server.stop()).code).toBe(0);
  });

  it('OPS-172 OPS-174 refuses a second instance within a second, and OPS-197 starts again after kill -9', async () => {
    const cwd = workspace();
    const first = serve(cwd);
    await first.address();
    const second = await serve(cwd).finished();
    expect(second.code).toBe(1);
    expect(second.stderr).toContain('database is locked');
    expect(second.stderr).toContain(join(cwd, 'data'));
    await first.stop('SIGKILL');
    const third = serve(cwd);
    expect((await fetch(`${await third.address()}/api/health`)).status).toBe(200);
  });

  it('OPS-192 ends with 1 when the port is in use and releases the lock', async () => {
    const cwd = workspace();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { code, stderr } = await start(['serve', `--http=127.0.0.1:${port}`, '--dir=data'], cwd).finished();
    expect(code).toBe(1);
    expect(stderr).toContain(`127.0.0.1:${port}`);
    await serve(cwd).address();
  });

  it('OPS-171 ends with 1 when the data directory cannot be made, and names it', async () => {
    const cwd = workspace();
    writeFileSync(join(cwd, 'file'), '');
    const { code, stderr } = await start(['serve', '--dir=file/data'], cwd).finished();
    expect(code).toBe(1);
    expect(stderr).toContain(join(cwd, 'file', 'data'));
  });

  it.skipIf(!existsSync('/proc/self'))('OPS-171 ends with 1 where a file system takes no directories', async () => {
    const { code, stderr } = await start(['serve', '--dir=/proc/none/data'], workspace()).finished();
    expect(code).toBe(1);
    expect(stderr).toContain('/proc/none/data cannot be written');
  });

  it.skipIf(process.getuid?.() === 0)('OPS-171 ends with 1 when the data directory cannot be written', async () => {
    const cwd = workspace();
    chmodSync(cwd, 0o500);
    expect((await start(['serve', '--dir=data'], cwd).finished()).code).toBe(1);
  });

  it.skipIf(process.getuid?.() === 0)('OPS-171 ends with 1 when the database can only be read', async () => {
    const cwd = workspace();
    const server = serve(cwd);
    await server.address();
    await server.stop();
    chmodSync(join(cwd, 'data', 'data.db'), 0o400);
    const { code, stderr } = await serve(cwd).finished();
    expect(code).toBe(1);
    expect(stderr).toContain(join(cwd, 'data', 'data.db'));
  });

  it('OPS-198 ends with 1 on an emptied database and leaves it as it is', async () => {
    const cwd = workspace();
    const server = serve(cwd);
    await server.address();
    await server.stop();
    const data = join(cwd, 'data');
    writeFileSync(join(data, 'data.db'), '');
    for (const args of [
      ['serve', '--http=127.0.0.1:0'],
      ['superuser', 'create', 'root@example.com', '1234567890'],
    ]) {
      const { code, stderr } = await command([...args, `--dir=${data}`], cwd);
      expect(code).toBe(1);
      expect(stderr).toContain(`${join(data, 'data.db')} is empty`);
    }
    expect(statSync(join(data, 'data.db')).size).toBe(0);
    rmSync(data, { recursive: true });
    await serve(cwd).address();
  });

  it('OPS-197 starts on an empty database file that an interrupted first start left', async () => {
    const cwd = workspace();
    mkdirSync(join(cwd, 'data'));
    for (const name of ['roost.lock', 'data.db']) writeFileSync(join(cwd, 'data', name), '');
    await serve(cwd).address();
  });

  it('OPS-190 makes .temp a directory when it is something else', async () => {
    const cwd = workspace();
    mkdirSync(join(cwd, 'data'));
    writeFileSync(join(cwd, 'data', '.temp'), 'x');
    await serve(cwd).address();
    expect(statSync(join(cwd, 'data', '.temp')).isDirectory()).toBe(true);
  });

  it('OPS-198 ends with 1 on a damaged database and leaves it as it is', async () => {
    const cwd = workspace();
    const server = serve(cwd);
    await server.address();
    await server.stop();
    const path = join(cwd, 'data', 'data.db');
    writeFileSync(path, 'this is not a database, whatever its name says'.repeat(200));
    const size = statSync(path).size;
    const { code, stderr } = await serve(cwd).finished();
    expect(code).toBe(1);
    expect(stderr).toContain('data.db');
    expect(statSync(path).size).toBe(size);
  });

  it.each([
    ['everywhere', 0],
    ['behind the first page', 4096],
  ])('OPS-80 begins new logs when the old ones are damaged %s, and keeps those', async (_where, from) => {
    const cwd = workspace();
    const first = serve(cwd);
    await first.address();
    await first.stop();
    const path = join(cwd, 'data', 'auxiliary.db');
    const damaged = readFileSync(path).fill('this is not a database, whatever its name says', from);
    writeFileSync(path, damaged);
    const server = serve(cwd);
    await server.address();
    const { stderr } = await server.stop();
    expect(stderr).toContain('auxiliary.db.damaged');
    // Without colours: nobody sits at a terminal, and a journal would keep their codes.
    expect(stderr).toMatch(/^\[Roost\] \d+ {2}- \d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d +WARN \[Logs\] /);
    expect(readFileSync(`${path}.damaged`).equals(damaged)).toBe(true);
    expect(readFileSync(path, 'latin1')).toMatch(/^SQLite format 3/);
    expect(readFileSync(path).length).toBeGreaterThan(4096);
  });

  it.each([
    ['is not installed', '(better-)?sqlite3(-13)?'],
    // What finds the native part, which is at hand in other ways from Node.js 24 on.
    ...(Number.parseInt(process.versions.node) < 24 ? [['was not built', 'bindings']] : []),
  ])('OPS-163 says in one line what to do when the SQLite driver %s', async (_how, missing) => {
    const cwd = workspace();
    writeFileSync(
      join(cwd, 'without-drivers.mjs'),
      `import Module from 'node:module';
      const load = Module._load;
      Module._load = (name, ...rest) => load(/^${missing}$/.test(name) ? 'not-installed' : name, ...rest);`,
    );
    const env = { NODE_OPTIONS: `--import=${join(cwd, 'without-drivers.mjs')}` };
    const { code, stdout, stderr } = await start(['serve', '--dir=data'], cwd, env).finished();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Error: The SQLite driver cannot be loaded: .*'not-installed'\..* "npm ci" .*\n$/);
  });

  it('AUTH-1209 creates, updates and deletes superusers beside a running server', async () => {
    const cwd = workspace();
    const server = serve(cwd);
    const address = await server.address();
    const superuser = (...args: string[]) => command(['superuser', ...args, `--dir=${cwd}/data`], cwd);
    const signIn = async (password: string) => {
      const response = await fetch(`${address}/api/collections/_superusers/auth-with-password`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ identity: 'root@example.com', password }),
      });
      return response.status;
    };
    const create = ['superuser', 'create', 'root@example.com', 'first-password', `--dir=${cwd}/data`];
    expect((await start(create, cwd).finished()).code).toBe(0);
    expect(await signIn('first-password')).toBe(200);
    expect((await superuser('create', 'root@example.com', 'first-password')).code).toBe(1);
    expect((await superuser('create', 'nobody', 'first-password')).code).toBe(1);
    const refused = await superuser('create', 'b@example.com', 'short');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^Error: .+ password: .+\n$/);
    expect((await superuser('update', 'root@example.com', 'second-password')).code).toBe(0);
    expect(await signIn('first-password')).toBe(400);
    expect(await signIn('second-password')).toBe(200);
    expect((await superuser('update', 'nobody@example.com', 'second-password')).code).toBe(1);
    expect((await superuser('upsert', 'other@example.com', 'third-password')).code).toBe(0);
    expect((await superuser('delete', 'other@example.com')).code).toBe(0);
    expect((await superuser('delete', 'other@example.com')).code).toBe(0);
    expect((await superuser('delete', 'root@example.com')).code).toBe(1);
    expect(existsSync(join(cwd, 'data', 'data.db'))).toBe(true);
  }, 120_000);
});

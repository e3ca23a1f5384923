import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAIN } from '../support/roost-process.js';
import { start, workspace } from './workspace.js';

/** Gives a program a terminal of its own, which a test cannot do by itself. Part of util-linux. */
const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;

const CTRL_C = '\x03';
const CTRL_D = '\x04';

/** Types at the built program's first question and gives all that the terminal showed. */
async function answered(keys: string, args: string, cwd: string): Promise<{ code: number; shown: string }> {
  const command = `'${process.execPath}' '${MAIN}' ${args}`;
  const { PATH, DATABASE_DRIVER } = process.env;
  const env = { PATH, TERM: 'xterm', ...(DATABASE_DRIVER ? { DATABASE_DRIVER } : {}) };
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  let typed = false;
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    if (typed || !/\(y\/N\) |Password: /.test(shown)) return;
    typed = true;
    child.stdin.write(keys);
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, shown };
}

describe.skipIf(!hasScript)('at a terminal', () => {
  it.each(['y\r', 'yes\r', ' YES \r'])('OPS-187 %j is a yes', async (keys) => {
    const cwd = workspace();
    const { code, shown } = await answered(keys, 'migrate create posts', cwd);
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringMatching(/_posts\.js\r\n$/) });
    expect(readdirSync(join(cwd, 'roost_migrations'))).toEqual([expect.stringMatching(/^\d+_posts\.js$/)]);
  });

  it.each(['\r', 'n\r', 'yep\r', `y${CTRL_C}`, CTRL_C, CTRL_D])('OPS-187 %j cancels, and says so', async (keys) => {
    const cwd = workspace();
    const { code, shown } = await answered(keys, 'migrate create posts', cwd);
    expect({ code, shown }).toEqual({
      code: 0,
      shown: expect.stringMatching(/\nCancelled, nothing was changed\.\r\n$/),
    });
    expect(existsSync(join(cwd, 'roost_migrations'))).toBe(false);
  });

  it('AUTH-1209 a password that is asked for is not shown', async () => {
    const cwd = workspace();
    const typed = await answered('a secreX\x7ft word\r', 'superuser upsert ann@example.com --dir=data', cwd);
    expect(typed).toEqual({ code: 0, shown: 'Password: \r\nThe superuser ann@example.com is ready.\r\n' });
    const server = start(['serve', '--http=127.0.0.1:0', '--dir=data'], cwd);
    const url = `${await server.address()}/api/collections/_superusers/auth-with-password`;
    const signIn = (password: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ identity: 'ann@example.com', password }),
      });
    expect((await signIn('a secret word')).status).toBe(200);
    expect((await signIn('a secreXt word')).status).toBe(400);
  });

  it.each([CTRL_C, CTRL_D])('AUTH-1209 OPS-163 %j instead of a password ends the command', async (keys) => {
    const { code, shown } = await answered(keys, 'superuser upsert ann@example.com --dir=data', workspace());
    expect({ code, shown }).toEqual({ code: 1, shown: expect.stringMatching(/^Password: \r\nError: Aborted/) });
  });
});

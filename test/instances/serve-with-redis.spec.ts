import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start, workspace } from '../cli/workspace.js';
import { freePort } from '../support/free-port.js';
import { Redis } from '../support/redis.js';

describe('serve with REDIS_URL', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await Redis.start(undefined, ['--user', 'ann', 'on', '>secret', '~*', '&*', '+@all']);
  });
  afterAll(() => redis.stop());

  const serve = (cwd: string, REDIS_URL: string) =>
    start(['serve', '--http=127.0.0.1:0', `--dir=${cwd}/data`], cwd, { REDIS_URL });

  it('SCALE-20 ends with one line when Redis cannot be used, before it touches the data', async () => {
    const cwd = workspace();
    const port = await freePort();
    const gone = await serve(cwd, `redis://ann:secret@127.0.0.1:${port}`).finished();
    expect(gone).toMatchObject({ code: 1, stdout: '' });
    expect(gone.stderr).toMatch(/^Error: Redis at 127\.0\.0\.1:\d+ cannot be used: [^\n]*ECONNREFUSED[^\n]*\n$/);
    const refused = await serve(cwd, redis.url.replace('//', '//ann:wrong-secret@')).finished();
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^Error: Redis at [^\n]*refuses the user or the password[^\n]*\n$/);
    expect(existsSync(join(cwd, 'data', 'data.db'))).toBe(false);
  });

  it('SCALE-20 ends at once when it is told to, whether Redis is there or not', async () => {
    const cwd = workspace();
    const server = serve(cwd, redis.url.replace('//', '//ann:secret@'));
    const address = await server.address();
    expect((await fetch(`${address}/api/health`)).status).toBe(200);
    expect((await server.stop()).code).toBe(0);
    const other = serve(cwd, redis.url.replace('//', '//ann:secret@'));
    await other.address();
    await redis.crash();
    expect((await other.stop()).code).toBe(0);
    await redis.restart();
  });
});

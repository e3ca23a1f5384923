import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, type MessageEvent, Module, Sse } from '@nestjs/common';
import { Observable } from 'rxjs';
import type { TestRoost } from 'roost/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { RoostProcess } from '../support/roost-process.js';
import { startRoost } from '../support/roost.js';

const ROOST = new URL('../../dist/index.js', import.meta.url).href;

/** A server with a route that never answers, and a module that has something to do at the end. */
const MAIN = `
import { runRoost } from '${ROOST}';

class LastModule {
  onApplicationShutdown() {
    process.stdout.write('The last of it.\\n');
  }
}

await runRoost({
  imports: [{ module: LastModule }],
  configureApp: (app) => void app.getHttpAdapter().getInstance().get('/api/never', () => new Promise(() => {})),
});
`;

let open = 0;

@Controller('api/ticks')
class TicksController {
  @Sse()
  ticks(): Observable<MessageEvent> {
    return new Observable((subscriber) => {
      open += 1;
      const timer = setInterval(() => subscriber.next({ data: 'tick' }), 5);
      return () => {
        open -= 1;
        clearInterval(timer);
      };
    });
  }
}

@Module({ controllers: [TicksController] })
class TicksModule {}

describe('stopping', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  const follow = async (roost: TestRoost): Promise<ReadableStreamDefaultReader<Uint8Array>> => {
    const reader = (await fetch(`${await roost.listen()}/api/ticks`)).body!.getReader();
    await reader.read();
    return reader;
  };

  it('OPS-195 ends the event streams of a team as it ends its own', async () => {
    const roost = await startRoost({ imports: [TicksModule] });
    const reader = await follow(roost);
    const unread = await follow(roost);
    expect(open).toBe(2);
    const closing = roost.close();
    while (!(await reader.read()).done);
    await closing;
    await expect.poll(() => open).toBe(0);
    await unread.cancel();
  });

  it('OPS-105 ends them when a backup is restored', async () => {
    const roost = await startRoost({ imports: [TicksModule] });
    cleanups.push(() => roost.close());
    const token = await roost.createSuperuser();
    expect((await roost.inject({ url: '/api/backups', token, body: { name: 'one.zip' } })).status).toBe(204);
    const reader = await follow(roost);
    const restoring = roost.inject({ method: 'POST', url: '/api/backups/one.zip/restore', token });
    while (!(await reader.read()).done);
    expect((await restoring).status).toBe(204);
    await expect.poll(() => open).toBe(0);
  });

  it('OPS-196 what follows the requests is still done when one of them had to be cut off', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'roost-stopping-'));
    cleanups.push(() => rmSync(cwd, { recursive: true, force: true }));
    const main = join(cwd, 'main.mjs');
    writeFileSync(main, MAIN);
    const env = { ROOST_SHUTDOWN_TIMEOUT: '1' };
    const server = new RoostProcess(['serve', '--http=127.0.0.1:0'], { cwd, env, main });
    cleanups.push(() => server.stop('SIGKILL'));
    const address = await server.address();
    const asked = fetch(`${address}/api/never`).catch(() => 'cut off');
    await fetch(`${address}/api/health`);
    const { code, stdout } = await server.stop();
    expect(code).toBe(0);
    expect(stdout).toContain('The last of it.');
    expect(await asked).toBe('cut off');
  });
});

import { createServer, connect, type Server, type Socket, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { startRoost } from '../support/roost.js';

const RECORDS = '/api/collections/notes/records';

/** An address that leads to one server and, from some moment on, to another one. */
class MovingAddress {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(private target: number) {
    this.server = createServer((socket) => {
      const there = connect(this.target, '127.0.0.1');
      for (const each of [socket, there]) {
        this.sockets.add(each);
        each.on('close', () => this.sockets.delete(each));
        each.on('error', () => undefined);
      }
      socket.pipe(there).pipe(socket);
      there.on('close', () => socket.destroy());
      socket.on('close', () => there.destroy());
    });
  }

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  moveTo(port: number): void {
    this.target = port;
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

describe.skipIf(PostgresCluster.programs === undefined)('SCALE-18 a standby takes the place of its primary', () => {
  let primary: PostgresCluster;
  let standby: PostgresCluster;
  let url: string;
  let roost: TestRoost | undefined;
  let address: MovingAddress | undefined;

  beforeEach(async () => {
    primary = await PostgresCluster.start();
    url = await primary.newDatabase();
    standby = await primary.newStandby();
  });
  afterEach(async () => {
    // Those that write are done.
    await sleep(100);
    await roost?.close();
    address?.close();
    roost = address = undefined;
    await standby.stop();
    await primary.stop();
  });

  const create = (title: string): Promise<TestResponse> =>
    roost!.inject({ method: 'POST', url: RECORDS, body: { title } });
  const titles = async (): Promise<string[]> => {
    const { status, body } = await roost!.inject({ url: `${RECORDS}?sort=title&perPage=500` });
    expect(status).toBe(200);
    return body.items.map(({ title }: { title: string }) => title);
  };

  async function serve(at: string): Promise<void> {
    roost = await startRoost({ config: { DATABASE_URL: at } });
    await roost.createSuperuser();
    const fields = [{ name: 'title', type: 'text' }];
    await roost.createCollections({ name: 'notes', type: 'base', listRule: '', viewRule: '', createRule: '', fields });
  }

  /** Loses the primary under load, has the standby take its place, and tells what happened on the way. */
  async function failOver(move?: () => void): Promise<void> {
    const acknowledged: string[] = [];
    const refused: TestResponse[] = [];
    let isOver = false;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let at = 0; !isOver; at++) {
        const title = `${writer}-${at}`;
        const answer = await create(title);
        if (answer.status === 200) acknowledged.push(title);
        else {
          refused.push(answer);
          await sleep(50);
        }
      }
    });
    onTestFinished(() => void (isOver = true));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
    await primary.pause();
    await expect.poll(() => refused.length).toBeGreaterThan(0);
    if (move) expect((await roost!.inject({ url: '/api/health' })).status).toBe(503);
    move?.();
    // It only reads as yet: lists are answered, writes are not.
    await expect.poll(async () => (await roost!.inject({ url: RECORDS })).status, { timeout: 20_000 }).toBe(200);
    expect((await create('too early')).status).toBe(503);
    const health = await roost!.inject({ url: '/api/health' });
    expect([health.status, health.headers['retry-after']]).toEqual([503, '2']);
    await standby.promote();
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(before + 20);
    isOver = true;
    await Promise.all(writers);
    for (const { status, headers, body } of refused) {
      expect([status, headers['retry-after'], body]).toEqual([
        503,
        expect.any(String),
        { code: 503, message: expect.any(String), data: {} },
      ]);
    }
    expect(await titles()).toEqual(expect.arrayContaining(acknowledged));
    expect((await roost!.inject({ url: '/api/health' })).status).toBe(200);
  }

  it('at the same address, and nothing that was acknowledged is lost', async () => {
    address = new MovingAddress(primary.port);
    const port = await address.listen();
    await serve(url.replace(`:${primary.port}/`, `:${port}/`));
    await failOver(() => address!.moveTo(standby.port));
  }, 120_000);

  it('where the address names both of them, in any order', async () => {
    await serve(url.replace(`:${primary.port}/`, `:${standby.port},127.0.0.1:${primary.port}/`));
    await failOver();
  }, 120_000);
});

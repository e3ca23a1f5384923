import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type PocketBase from 'pocketbase';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RealtimeService } from '../../src/realtime/realtime.service.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { freePort } from '../support/free-port.js';
import { startRoost } from '../support/roost.js';
import { ForeignPage } from './support/foreign-page.js';

declare global {
  interface Window {
    listening: PocketBase;
    /** What the listeners of the page were told. */
    heard: string[];
    /** The client ids of the streams, one after the other. */
    streams: string[];
  }
}

/** The tests follow one page through its day; only what the browser itself says of a lost connection is expected. */
describe('RT-99 realtime in a browser, with its own EventSource', () => {
  const dir = mkdtempSync(join(tmpdir(), 'roost-browser-'));
  let roost: TestRoost;
  let app: ForeignPage;
  let page: Page;
  let port: number;

  /** Starts on the directory and on the port of the time before. */
  async function start(): Promise<void> {
    roost = await startRoost({ dir });
    await roost.app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port });
  }

  const records = () => roost.app.get(RecordsService, { strict: false });
  const clients = () => roost.app.get(RealtimeService, { strict: false }).clients;
  const heard = () => page.evaluate(() => window.heard);
  const streams = () => page.evaluate(() => window.streams);
  /** The page listens again, on another stream than this. */
  const listensAgain = (before: string) =>
    expect
      .poll(() => clients().some(({ id, topics }) => id !== before && topics.has('posts/*')), { timeout: 15_000 })
      .toBe(true);

  beforeAll(async () => {
    port = await freePort();
    await start();
    await roost.createCollections(
      { name: 'members', type: 'auth', fields: [{ name: 'nick', type: 'text' }] },
      {
        name: 'posts',
        type: 'base',
        listRule: "title != 'hidden' || @request.auth.nick = 'ann'",
        fields: [{ name: 'title', type: 'text' }],
      },
    );
    await records().create('members', { email: 'ann@example.com', password: '1234567890', nick: 'ann' });
    app = await ForeignPage.open(`http://127.0.0.1:${port}`);
    page = app.page;
    await page.evaluate(async () => {
      window.heard = [];
      window.streams = [];
      const pb = (window.listening = window.kit.client());
      await pb.realtime.subscribe('PB_CONNECT', (event: { clientId: string }) => {
        window.streams.push(event.clientId);
      });
      await pb.collection('posts').subscribe('*', ({ action, record }) => {
        window.heard.push(`${action} ${String(record['title'])}`);
      });
    });
  });

  afterEach(() => expect(app.complaints).toEqual([]));

  afterAll(async () => {
    await app?.close();
    await roost?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('RT-3 hears changes as a guest, on a stream it knows the id of', async () => {
    await records().create('posts', { title: 'hidden' });
    await records().create('posts', { title: 'open' });
    await expect.poll(heard).toEqual(['create open']);
    expect(await streams()).toEqual(clients().map(({ id }) => id));
  });

  it('RT-33 hears more once somebody signed in', async () => {
    await page.evaluate(async () => {
      const { listening } = window;
      await listening.collection('members').authWithPassword('ann@example.com', '1234567890');
      // The account goes along with the next subscription.
      await listening.realtime.subscribe('anything', () => undefined);
    });
    await records().create('posts', { title: 'hidden' });
    await expect.poll(heard).toEqual(['create open', 'create hidden']);
  });

  it('RT-18 comes back when the server ended the stream', async () => {
    const [before] = await streams();
    roost.clock.advance(5 * 60_000);
    await listensAgain(before!);
    roost.clock.reset();
    await page.evaluate(() => (window.heard = []));
    await records().create('posts', { title: 'hidden' });
    await expect.poll(heard).toEqual(['create hidden']);
    await expect.poll(streams).toHaveLength(2);
  });

  it('RT-18 RT-21 comes back after the server was restarted', async () => {
    const [, before] = await streams();
    await roost.close();
    await sleep(300);
    await start();
    await listensAgain(before!);
    await page.evaluate(() => (window.heard = []));
    await records().create('posts', { title: 'hidden' });
    await expect.poll(heard).toEqual(['create hidden']);
    await expect.poll(streams).toHaveLength(3);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SseReader } from '../support/sse-reader.js';
import { WorkersServer } from './workers-server.js';

let server: WorkersServer;

beforeAll(async () => {
  server = await WorkersServer.start();
  await server.signIn();
  const body = {
    name: 'posts',
    type: 'base',
    fields: [
      { type: 'text', name: 'title' },
      { type: 'number', name: 'views' },
      { type: 'file', name: 'picture' },
    ],
    listRule: '',
    viewRule: '',
    createRule: '',
    updateRule: '',
    deleteRule: '',
  };
  await server.ask({ method: 'POST', url: '/api/collections', body });
}, 60_000);

afterAll(() => server?.stop());

const create = (title: string) =>
  server.ask({ method: 'POST', url: '/api/collections/posts/records', body: { title, views: 0 } });

/** The titles that begin so, in their order. */
async function storedTitles(start: string): Promise<string[]> {
  const titles: string[] = [];
  for (let page = 1; ; page++) {
    const filter = encodeURIComponent(`title ~ '${start}%'`);
    const url = `/api/collections/posts/records?perPage=500&sort=id&page=${page}&filter=${filter}`;
    const { body } = await server.ask({ url });
    const items = body.items as { title: string }[];
    titles.push(...items.map(({ title }) => title));
    if (items.length < 500) return titles.toSorted();
  }
}

describe('several workers', () => {
  it('SCALE-30 each answer what another one has stored', async () => {
    for (let count = 0; count < 6; count++) {
      const { body } = await create(`post ${count}`);
      const answers = await server.askAll({ url: `/api/collections/posts/records/${body.id}` });
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
  });

  it('SCALE-22 RT-97 SCALE-31 a stream of one worker is subscribed through another, and hears what any of them stores', async () => {
    const readers = await server.streams(4, ['posts/*']);
    const titles: string[] = [];
    for (let count = 0; count < 6; count++) {
      titles.push(`heard ${count}`);
      await create(`heard ${count}`);
    }
    for (const reader of readers) {
      const messages = await reader.receive(6);
      const heard = messages.map(({ data }) => JSON.parse(data) as { action: string; record: { title: string } });
      expect(heard.map(({ record }) => record.title)).toEqual(titles);
      reader.close();
    }
  });

  it('SCALE-21 updates and deletes of one record are heard of in the order of their commits, each once', async () => {
    const readers = await server.streams(4, ['posts']);
    const { body } = await create('first');
    const url = `/api/collections/posts/records/${body.id}`;
    const patches = Array.from({ length: 30 }, () => server.ask({ method: 'PATCH', url, body: { 'views+': 1 } }));
    expect((await Promise.all(patches)).every(({ status }) => status === 200)).toBe(true);
    await server.ask({ method: 'DELETE', url });
    for (const reader of readers) {
      const messages = await reader.receive(32);
      const heard = messages.map(({ data }) => JSON.parse(data) as { action: string; record: { views: number } });
      expect(heard.map(({ action }) => action)).toEqual(['create', ...patches.map(() => 'update'), 'delete']);
      expect(heard.slice(1, -1).map(({ record }) => record.views)).toEqual(patches.map((_, index) => index + 1));
      reader.close();
    }
  });

  it('SCALE-21 events are written for others only while one of them has streams', async () => {
    const entries = async () => {
      const query = 'SELECT count(*) AS n FROM _outbox';
      const { body } = await server.ask({ method: 'POST', url: '/api/sql', body: { query } });
      return body.rows[0].n as number;
    };
    await server.until(async () => {
      const before = await entries();
      for (let count = 0; count < 4; count++) await create('nobody listens');
      return (await entries()) === before;
    });
    for (let round = 0; round < 10; round++) {
      const [reader] = await server.streams(1, ['posts/*']);
      const titles = Array.from({ length: 4 }, (_, index) => `round ${round}, ${index}`);
      await Promise.all(titles.map(create));
      const messages = await reader!.receive(4);
      const heard = messages.map(({ data }) => (JSON.parse(data) as { record: { title: string } }).record.title);
      expect(heard.toSorted()).toEqual(titles);
      reader!.close();
    }
  });

  it('RT-97 no worker holds a stream of this id: 404', async () => {
    const body = { clientId: 'x'.repeat(40), subscriptions: [] };
    expect((await server.ask({ method: 'POST', url: '/api/realtime', body })).status).toBe(404);
  });

  it('SCALE-23 a rule, a field and a setting that were changed hold in every worker with the answer', async () => {
    for (const [rule, status] of [
      [null, 403],
      ['', 200],
      ['title = "nobody"', 200],
      [null, 403],
      ['', 200],
    ] as const) {
      await server.ask({ method: 'PATCH', url: '/api/collections/posts', body: { listRule: rule } });
      const answers = await server.askAll({ url: '/api/collections/posts/records', token: '' });
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => status));
    }
    for (const name of ['One', 'Two', 'Three']) {
      await server.ask({ method: 'PATCH', url: '/api/settings', body: { meta: { appName: name } } });
      const answers = await server.askAll({ url: '/api/settings' });
      expect(answers.map(({ body }) => body.meta.appName as string)).toEqual(answers.map(() => name));
    }
  });

  it('SCALE-23 no request runs with a schema that does not match the tables', async () => {
    const { body: collection } = await server.ask({ url: '/api/collections/posts' });
    const { body: record } = await create('swapped');
    const url = `/api/collections/posts/records/${record.id}`;
    const answers: number[] = [];
    let isOver = false;
    const load = async (send: () => Promise<{ status: number }>) => {
      while (!isOver) answers.push((await send()).status);
    };
    const loads = [
      load(() => server.ask({ url, token: '' })),
      load(() => server.ask({ url: '/api/collections/posts/records?sort=-title', token: '' })),
      load(() => server.ask({ method: 'PATCH', url, body: { 'views+': 1 }, token: '' })),
    ];
    for (let round = 0; round < 12; round++) {
      const fields = [...collection.fields, { type: 'text', name: `extra_${round}` }];
      expect((await server.ask({ method: 'PATCH', url: '/api/collections/posts', body: { fields } })).status).toBe(200);
    }
    isOver = true;
    await Promise.all(loads);
    expect(answers.length).toBeGreaterThan(20);
    expect(new Set(answers), server.process.stderr).toEqual(new Set([200]));
  });

  it('SCALE-23 shows no hidden value while a hidden field and an open one change names', async () => {
    const fields = [
      { type: 'text', name: 'shown' },
      { type: 'text', name: 'kept', hidden: true },
    ];
    const made = await server.ask({
      method: 'POST',
      url: '/api/collections',
      body: { name: 'swaps', type: 'base', fields, listRule: '', viewRule: '' },
    });
    const [shown, kept] = ['shown', 'kept'].map((name) =>
      (made.body.fields as { name: string }[]).find((field) => field.name === name),
    );
    const others = (made.body.fields as { name: string }[]).filter(({ name }) => name !== 'shown' && name !== 'kept');
    const url = '/api/collections/swaps/records';
    for (let count = 0; count < 200; count++)
      await server.ask({ method: 'POST', url, body: { shown: 'open', kept: 'secret' } });
    const answers: string[] = [];
    let isOver = false;
    const loads = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const { status, body } = await server.ask({ url: `${url}?perPage=200`, token: '' });
        answers.push(`${status} ${JSON.stringify(body.items).includes('secret') ? 'with secrets' : 'without'}`);
      }
    });
    for (let round = 0; round < 40; round++) {
      const names = round % 2 === 0 ? ['kept', 'shown'] : ['shown', 'kept'];
      const swapped = [
        { ...shown, name: names[0] },
        { ...kept, name: names[1] },
      ];
      const body = { fields: [...others, ...swapped] };
      expect((await server.ask({ method: 'PATCH', url: '/api/collections/swaps', body })).status).toBe(200);
    }
    isOver = true;
    await Promise.all(loads);
    expect(answers.length).toBeGreaterThan(40);
    expect(new Set(answers), server.process.stderr).toEqual(new Set(['200 without']));
  });

  it('SCALE-23 a token that was revoked is refused everywhere at once', async () => {
    const superusers = '/api/collections/_superusers';
    const body = { email: 'b@example.com', password: 'correct horse', passwordConfirm: 'correct horse' };
    const { body: account } = await server.ask({ method: 'POST', url: `${superusers}/records`, body });
    const signedIn = await server.ask({
      method: 'POST',
      url: `${superusers}/auth-with-password`,
      body: { identity: 'b@example.com', password: 'correct horse' },
    });
    const { token } = signedIn.body;
    const list = { url: '/api/collections', token };
    expect((await server.askAll(list)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const changed = { password: 'another horse', passwordConfirm: 'another horse' };
    await server.ask({ method: 'PATCH', url: `${superusers}/records/${account.id}`, body: changed });
    expect((await server.askAll(list)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });

  it('SCALE-31 what a command changes beside it holds in every worker', async () => {
    await server.signIn();
    expect((await server.askAll({ url: '/api/collections' })).map(({ status }) => status)).toEqual([
      200, 200, 200, 200,
    ]);
  });

  it('SCALE-30 many writers at once on all workers lose nothing and are never told that the database is locked', async () => {
    const { body: counter } = await create('counter');
    const url = `/api/collections/posts/records/${counter.id}`;
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        index % 3 === 0
          ? server.ask({ method: 'PATCH', url, body: { 'views+': 1 } })
          : server.ask({ method: 'POST', url: '/api/collections/posts/records', body: { title: `many ${index}` } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await server.ask({ url })).body.views).toBe(100);
    const { body } = await server.ask({
      url: `/api/collections/posts/records?perPage=1&filter=${encodeURIComponent('title ~ "many %"')}`,
    });
    expect(body.totalItems).toBe(200);
  });

  it('SCALE-24 SCALE-31 a rate limit lets through exactly as many as it says, whichever workers are asked', async () => {
    const rules = [{ label: '/api/collections/posts/records', maxRequests: 25, duration: 600, audience: '' }];
    const limits = (enabled: boolean) =>
      server.ask({ method: 'PATCH', url: '/api/settings', body: { rateLimits: { enabled, rules } } });
    expect((await limits(true)).status).toBe(200);
    const list = () => server.ask({ url: '/api/collections/posts/records?perPage=1', token: '' });
    const answers = await Promise.all(Array.from({ length: 80 }, list));
    await limits(false);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(25);
    expect(statuses.filter((status) => status === 429)).toHaveLength(55);
  });

  it('SCALE-31 a restore through one worker is that of all, and all serve again after it', async () => {
    const { body: kept } = await create('kept by the backup');
    expect((await server.ask({ method: 'POST', url: '/api/backups', body: { name: 'kept.zip' } })).status).toBe(204);
    const { body: later } = await create('made after the backup');
    await server.ask({ method: 'DELETE', url: `/api/collections/posts/records/${kept.id}` });
    expect((await server.ask({ method: 'POST', url: '/api/backups/kept.zip/restore' })).status).toBe(204);
    const statusOf = async (id: string) =>
      (await server.ask({ url: `/api/collections/posts/records/${id}` }).catch(() => ({ status: 0 }))).status;
    await server.until(async () => (await statusOf(kept.id)) === 200);
    await server.until(() => server.workers().length === 2);
    await server.until(async () => (await server.askAll({ url: '/api/health' })).every(({ status }) => status === 200));
    for (let count = 0; count < 4; count++) {
      expect(await statusOf(kept.id)).toBe(200);
      expect(await statusOf(later.id)).toBe(404);
    }
    const { body } = await server.ask({ url: '/api/health' });
    expect(body.data.lastRestore).toMatchObject({ backup: 'kept.zip', outcome: 'restored' });
  });

  it('SCALE-21 SCALE-31 whoever is connected to another worker hears once of each record, also of those a killed one stored last', async () => {
    for (let round = 0; round < 2; round++) {
      const readers = await server.spreadStreams(['posts']);
      let isOver = false;
      const load = async (lane: number): Promise<void> => {
        for (let count = 0; !isOver; count++) await create(`${round} ${lane} ${count}`).catch(() => undefined);
      };
      const lanes = Array.from({ length: 8 }, (_, lane) => load(lane));
      await server.until(() => readers[0]!.messages.length > 40 + round * 7);
      process.kill(server.workers()[round % 2]!, 'SIGKILL');
      await server.until(() => readers.some(({ closed }) => closed));
      await server.until(() => server.workers().length === 2);
      isOver = true;
      await Promise.all(lanes);
      const { body: last } = await create(`${round} last`);
      const stored = await storedTitles(`${round} `);
      const remaining = readers.filter(({ closed }) => !closed);
      expect(remaining.length).toBeGreaterThan(0);
      const heardBy = (reader: SseReader) =>
        reader.messages.flatMap(({ event, data }) => {
          if (event !== 'posts') return [];
          return [(JSON.parse(data) as { record: { id: string; title: string } }).record];
        });
      for (const reader of remaining) {
        await server.until(() => heardBy(reader).some(({ id }) => id === last.id));
        expect(
          heardBy(reader)
            .map(({ title }) => title)
            .toSorted(),
        ).toEqual(stored);
        reader.close();
      }
    }
  }, 180_000);

  it('SCALE-31 a worker that dies is replaced, and only its own streams end', async () => {
    const readers = await server.spreadStreams(['posts/*']);
    const [victim, survivor] = server.workers();
    process.kill(victim!, 'SIGKILL');
    await server.until(() => readers.some(({ closed }) => closed));
    const { status } = await create('after a death');
    expect(status).toBe(200);
    // Its streams need not end at the same moment.
    await Promise.all(readers.map((reader) => reader.until(() => reader.closed || reader.events.length > 0)));
    const remaining = readers.filter(({ closed }) => !closed);
    expect(remaining.length).toBeGreaterThan(0);
    for (const reader of remaining) {
      const records = reader.events.map(({ data }) => (JSON.parse(data) as { record: { title: string } }).record);
      expect(records.map(({ title }) => title)).toEqual(['after a death']);
      reader.close();
    }
    await server.until(() => server.workers().length === 2);
    expect(server.workers()).toContain(survivor);
    expect((await server.askAll({ url: '/api/health' })).map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
  });
});

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { AnswerMemory } from '../../src/http/answer/answer-memory.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';

const MEBIBYTE = 1024 * 1024;
const WIDTH = 300_000;
const RECORDS = 8;

describe('batches with large answers', () => {
  let roost: TestRoost;
  let room: AnswerMemory;
  let origin: URL;
  const ids: string[] = [];

  beforeAll(async () => {
    roost = await startRoost();
    const root = new RecordApi(roost, await roost.createSuperuser());
    await roost.app.get(SettingsService, { strict: false }).patch({ batch: { enabled: true } });
    await roost.createCollections({
      name: 'pages',
      type: 'base',
      listRule: '',
      viewRule: '',
      updateRule: '',
      fields: [
        { name: 'title', type: 'text' },
        { name: 'body', type: 'editor' },
      ],
    });
    for (let index = 0; index < RECORDS; index++) {
      ids.push((await root.make('pages', { title: 'old', body: `${index}${'x'.repeat(WIDTH)}` })).id);
    }
    room = roost.app.getHttpAdapter().getInstance().answerMemory as AnswerMemory;
    origin = new URL(await roost.listen());
  });
  afterAll(() => roost.close());

  const path = (id: string) => `/api/collections/pages/records/${id}`;
  const rename = (title: string, query = '') =>
    fetch(new URL(`/api/batch${query}`, origin), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requests: ids.map((id) => ({ method: 'PATCH', url: path(id), body: { title } })) }),
    });
  const titles = async () => {
    const { body } = await roost.inject({ url: '/api/collections/pages/records?fields=title' });
    return new Set((body.items as { title: string }[]).map(({ title }) => title));
  };

  it('BAT-10 OPS-39 answer with all of them, written one after another', async () => {
    const answer = await rename('new');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    // Nobody has put it together before it was sent.
    expect(answer.headers.get('content-length')).toBeNull();
    const results = (await answer.json()) as { status: number; body: Record<string, string> }[];
    expect(results.map(({ status, body }) => [status, body['id'], body['title'], body['body']!.length])).toEqual(
      ids.map((id) => [200, id, 'new', WIDTH + 1]),
    );
    expect(room.takenBytes).toBe(0);
  });

  it('BAT-10 FLD-1 answer with what was picked of them', async () => {
    const results = await (await rename('new', '?fields=body.title')).json();
    expect(results).toEqual(ids.map(() => ({ body: { title: 'new' } })));
  });

  it('OPS-39 are refused with nothing stored where others have the memory for large answers', async () => {
    const usual = { ...room.limits };
    Object.assign(room.limits, { all: 4 * MEBIBYTE, stall: 1_000_000 });
    onTestFinished(() => void Object.assign(room.limits, usual));
    const other = room.shareOf(new ServerResponse(new IncomingMessage(new Socket())), 'somebody else');
    expect(other.tryTake(2 * MEBIBYTE)).toBe(true);

    const refused = await rename('newest');
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      429,
      '2',
      { code: 429, message: 'Too many large answers are on their way, try again later.', data: {} },
    ]);
    expect(await titles()).toEqual(new Set(['new']));

    other.release();
    // A lone answer may be of any size.
    expect((await rename('newest')).status).toBe(200);
    expect(await titles()).toEqual(new Set(['newest']));
  });
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import type { MaybePromise } from '../../src/kernel/maybe-promise.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { Listener } from '../realtime/listener.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';
import { watchReads } from '../support/watch-reads.js';

/** What a client gets, as text, so that two of them can be compared. */
type Answer = string;

/** A change of collections and how to take it back, values included. */
interface Change {
  readonly apply: () => Promise<unknown>;
  readonly undo: () => Promise<unknown>;
}

interface FieldJson {
  readonly id: string;
  readonly name: string;
}

const PAIR = 'pair00000000001';
const OWNER = 'owner0000000001';

let roost: TestRoost;
let token: string;
let guest: RecordApi;
let root: RecordApi;
let member: RecordApi;
let file: string;
let database: Database;

beforeAll(async () => {
  roost = await startRoost();
  token = await roost.createSuperuser();
  guest = new RecordApi(roost);
  root = guest.as(token);
  database = roost.app.get(Database, { strict: false });
  const open = { type: 'base', listRule: "id != ''", viewRule: "id != ''", createRule: '', updateRule: '' };
  await roost.createCollections(
    {
      id: 'version_members',
      name: 'members',
      type: 'auth',
      viewRule: "id != ''",
      manageRule: "@request.auth.nick != ''",
      fields: [{ id: 'member_nick', name: 'nick', type: 'text' }],
    },
    {
      id: 'version_pairs_1',
      name: 'pairs',
      ...open,
      fields: [
        { id: 'pair_up', name: 'up', type: 'text' },
        { id: 'pair_down', name: 'down', type: 'number' },
        { id: 'pair_tag', name: 'tag', type: 'select', values: ['a', 'b'], maxSelect: 1 },
        { id: 'pair_spare', name: 'spare', type: 'text' },
        { id: 'pair_doc', name: 'doc', type: 'file', maxSelect: 1 },
        { id: 'pair_member', name: 'member', type: 'relation', collectionId: 'version_members', maxSelect: 1 },
      ],
    },
    {
      id: 'version_owners1',
      name: 'owners',
      ...open,
      fields: [
        { id: 'owner_name', name: 'name', type: 'text' },
        { id: 'owner_pair', name: 'pair', type: 'relation', collectionId: 'version_pairs_1', maxSelect: 1 },
      ],
    },
    { id: 'version_rooms_1', name: 'rooms', ...open, viewRule: "@request.auth.nick = 'nick'", fields: [] },
  );
  const account = { email: 'm@example.com', password: '1234567890', passwordConfirm: '1234567890', nick: 'nick' };
  const { id } = await root.make('members', account);
  member = guest.as(await roost.signIn('members', account.email));
  await root.make('rooms', { id: 'room00000000001' });
  const form = new FormData();
  const pair = { id: PAIR, up: 'text', down: '7', tag: 'a', spare: 'spare', member: id };
  for (const [name, value] of Object.entries(pair)) form.append(name, value);
  form.append('doc', new Blob(['document']), 'doc.txt');
  file = (await root.make('pairs', form))['doc'] as string;
  await root.make('owners', { id: OWNER, name: 'owner', pair: PAIR });
});

afterAll(() => roost?.close());

const call = async (method: 'GET' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown) => {
  const answer = await roost.inject({ method, url: `/api/collections/${path}`, token, body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body;
};

/** Changes the fields of a collection, given by id so that its name does not matter. */
const reshape = async (collection: string, change: (field: FieldJson) => object | undefined) => {
  const { fields } = (await call('GET', collection)) as { fields: FieldJson[] };
  await call('PATCH', collection, { fields: fields.flatMap((field) => change(field) ?? []) });
};
const rename = (collection: string, names: Readonly<Record<string, string>>) =>
  reshape(collection, (field) => ({ ...field, name: names[field.name] ?? field.name }));
const single = (maxSelect: number) =>
  reshape('version_pairs_1', (field) => (field.id === 'pair_tag' ? { ...field, maxSelect } : field));

const CHANGES: Readonly<Record<string, Change>> = {
  'two fields that swap their names': {
    apply: () => rename('version_pairs_1', { up: 'down', down: 'up' }),
    undo: () => rename('version_pairs_1', { up: 'down', down: 'up' }),
  },
  'a field and its file field renamed': {
    apply: () => rename('version_pairs_1', { up: 'above', doc: 'paper' }),
    undo: () => rename('version_pairs_1', { above: 'up', paper: 'doc' }),
  },
  'a single value that becomes several': { apply: () => single(2), undo: () => single(1) },
  'a removed field': {
    apply: () => reshape('version_pairs_1', (field) => (field.id === 'pair_spare' ? undefined : field)),
    undo: async () => {
      const { fields } = (await call('GET', 'version_pairs_1')) as { fields: FieldJson[] };
      const spare = { id: 'pair_spare', name: 'spare', type: 'text' };
      await call('PATCH', 'version_pairs_1', { fields: [...fields, spare] });
      const rows = (await root.list('pairs', { perPage: '500' })).body.items as { id: string }[];
      for (const { id } of rows) await root.update('pairs', id, { spare: 'spare' });
    },
  },
  'a renamed collection': {
    apply: () => call('PATCH', 'version_pairs_1', { name: 'couples' }),
    undo: () => call('PATCH', 'version_pairs_1', { name: 'pairs' }),
  },
  'two collections that take new names and rules at once': {
    apply: () =>
      call('PUT', 'import', {
        collections: [
          { id: 'version_pairs_1', name: 'twos', viewRule: "up = 'text'" },
          { id: 'version_owners1', name: 'holders', listRule: "name = 'owner'" },
        ],
      }),
    undo: () =>
      call('PUT', 'import', {
        collections: [
          { id: 'version_pairs_1', name: 'pairs', viewRule: "id != ''" },
          { id: 'version_owners1', name: 'owners', listRule: "id != ''" },
        ],
      }),
  },
  'a rule that is closed': {
    apply: () => call('PATCH', 'version_pairs_1', { viewRule: null, listRule: null }),
    undo: () => call('PATCH', 'version_pairs_1', { viewRule: "id != ''", listRule: "id != ''" }),
  },
  'a deleted collection': {
    apply: () => call('DELETE', 'version_owners1'),
    undo: async () => {
      const open = { type: 'base', listRule: "id != ''", viewRule: "id != ''", createRule: '', updateRule: '' };
      await roost.createCollections({
        id: 'version_owners1',
        name: 'owners',
        ...open,
        fields: [
          { id: 'owner_name', name: 'name', type: 'text' },
          { id: 'owner_pair', name: 'pair', type: 'relation', collectionId: 'version_pairs_1', maxSelect: 1 },
        ],
      });
      await root.make('owners', { id: OWNER, name: 'owner', pair: PAIR });
    },
  },
  'an account field renamed together with the rule that names it': {
    apply: async () => renameNick('nick', 'alias'),
    undo: async () => renameNick('alias', 'nick'),
  },
};

async function renameNick(from: string, to: string): Promise<void> {
  const { fields } = (await call('GET', 'version_members')) as { fields: FieldJson[] };
  await call('PUT', 'import', {
    collections: [
      {
        id: 'version_members',
        manageRule: `@request.auth.${to} != ''`,
        fields: fields.map((field) => (field.name === from ? { ...field, name: to } : field)),
      },
      { id: 'version_rooms_1', viewRule: `@request.auth.${to} = 'nick'` },
    ],
  });
}

/** Records are made anew for each comparison. */
const plain = (text: string, id?: string): string => {
  const timeless = text.replace(/"(created|updated)":"[^"]*"/g, '"$1":""');
  return id === undefined ? timeless : timeless.replaceAll(id, 'ID');
};
const shown = ({ status, text }: TestResponse): Answer => `${status} ${plain(text)}`;
const fileAnswer = async (collection: string): Promise<Answer> => {
  const { status, text } = await roost.inject({ url: `/api/files/${collection}/${PAIR}/${file}` });
  return `${status} ${text}`;
};

const EXPAND = { expand: 'owners_via_pair.pair,member' };

const READS: Readonly<Record<string, () => Promise<Answer>>> = {
  'a record with its expand': async () => shown(await guest.view('pairs', PAIR, EXPAND)),
  'a record with its expand, by the id of its collection': async () =>
    shown(await guest.view('version_pairs_1', PAIR, EXPAND)),
  'a list with its expand': async () => shown(await member.list('pairs', { ...EXPAND, filter: `id = '${PAIR}'` })),
  'a list of records that point there': async () =>
    shown(await guest.list('owners', { expand: 'pair', filter: `id = '${OWNER}'` })),
  'a record under a rule about the caller': async () => shown(await member.view('rooms', 'room00000000001')),
  'a file': () => fileAnswer('pairs'),
};

/**
 * Runs work while a change is made at one place of it: before the statement of this number that it reads outside of a
 * transaction, or with `after` as soon as that has its rows. Tells whether that place was reached.
 */
async function disturbed<T>(
  work: () => Promise<T>,
  change: () => Promise<unknown>,
  place: { readonly statement: number; readonly after?: boolean },
): Promise<{ readonly result: T; readonly reached: boolean }> {
  let read = 0;
  let reached = false;
  const changeAround = async (run: () => MaybePromise<never[]>): Promise<never[]> => {
    if (!place.after) await change();
    const found = await run();
    if (place.after) await change();
    return found;
  };
  watchReads(database, (run, { sql }) => {
    // Files of earlier records are deleted by and by.
    const isOthers = sql.includes('_file_removals');
    if (isOthers || reached || database.inTransaction || read++ !== place.statement) return run();
    reached = true;
    return changeAround(run);
  });
  try {
    return { result: await work(), reached };
  } finally {
    vi.restoreAllMocks();
  }
}

/** Every place of some work at which a change may fall. */
async function atEachPlace<T>(
  work: () => Promise<T>,
  change: Change,
  look: (result: T, where: string) => void,
): Promise<number> {
  for (let statement = 0; ; statement++) {
    for (const after of [false, true]) {
      const { result, reached } = await disturbed(work, change.apply, { statement, after });
      if (!reached) return statement;
      await change.undo();
      look(result, `${after ? 'after' : 'before'} statement ${statement}`);
    }
  }
}

const CASES = Object.keys(CHANGES).flatMap((change) => Object.keys(READS).map((read) => ({ change, read })));

describe('a change of collections in the middle of a request', () => {
  it.each(CASES)('COL-116 $change: $read is wholly before or after it', async ({ change: name, read }) => {
    const change = CHANGES[name]!;
    const ask = READS[read]!;
    const before = await ask();
    await change.apply();
    const after = await ask();
    await change.undo();
    expect(await ask()).toBe(before);
    const places = await atEachPlace(ask, change, (answer, where) => {
      expect([before, after], where).toContain(answer);
    });
    expect(places).toBeGreaterThan(0);
  });
});

describe('a change of collections in the middle of a write', () => {
  const id = 'written00000001';
  const body = { id, name: 'written', pair: PAIR };
  const query = { expand: 'pair.member' };
  const forget = () => root.delete('version_owners1', id);

  it.each(Object.keys(CHANGES))('COL-116 %s: the answer of a create is of one version', async (name) => {
    const change = CHANGES[name]!;
    const create = async (collection = 'owners'): Promise<Answer> => shown(await guest.create(collection, body, query));
    const before = await create();
    await forget();
    await change.apply();
    const after = await create();
    // Created before the change, shown after it.
    const kept = [after, shown(await root.view('version_owners1', id, query))];
    await forget();
    const asGuest = shown(await guest.create('version_owners1', body, query));
    await forget();
    await change.undo();
    const places = await atEachPlace(
      create,
      { ...change, undo: async () => (await forget(), await change.undo()) },
      (answer, where) => expect([before, ...kept, asGuest], where).toContain(answer),
    );
    expect(places).toBeGreaterThan(0);
    await forget();
  });

  it.each(Object.keys(CHANGES))('COL-116 %s: an upload is stored under one version', async (name) => {
    const change = CHANGES[name]!;
    const create = async (): Promise<string> => {
      const form = new FormData();
      for (const [key, value] of Object.entries({ id, up: 'text', down: '7', tag: 'a', spare: 'spare' })) {
        form.append(key, value);
      }
      form.append('doc', new Blob(['document']), 'doc.txt');
      const { status, body: record } = await guest.create('pairs', form);
      const stored = [record?.doc].flat()[0] as string | undefined;
      await root.delete('version_pairs_1', id);
      const rest = { ...record, created: '', updated: '', doc: Boolean(stored) };
      return status === 200 ? JSON.stringify(rest) : `${status} ${JSON.stringify(record)}`;
    };
    const before = await create();
    await change.apply();
    const after = await create();
    await change.undo();
    const places = await atEachPlace(create, change, (answer, where) => {
      expect([before, after], where).toContain(answer);
    });
    expect(places).toBeGreaterThan(0);
  });
});

describe('a change of collections in the middle of a delivery', () => {
  it.each(Object.keys(CHANGES))('COL-116 %s: a message is of one version', async (name) => {
    const change = CHANGES[name]!;
    const options = encodeURIComponent(JSON.stringify({ query: EXPAND }));
    const listener = await Listener.to(roost, [`version_pairs_1/*?options=${options}`]);
    let seen = 0;
    const touch = async (): Promise<string> => {
      await root.update('version_pairs_1', PAIR, {});
      const messages = await listener.settle();
      const fresh = messages.slice(seen);
      seen = messages.length;
      return plain(JSON.stringify(fresh));
    };
    try {
      const before = await touch();
      await change.apply();
      const after = await touch();
      await change.undo();
      seen = (await listener.settle()).length;
      const places = await atEachPlace(
        touch,
        { ...change, undo: async () => (await change.undo(), (seen = (await listener.settle()).length)) },
        (message, where) => expect([before, after], where).toContain(message),
      );
      expect(places).toBeGreaterThan(0);
    } finally {
      listener.close();
    }
  });
});

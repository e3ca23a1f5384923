import { Injectable, Module } from '@nestjs/common';
import {
  AfterRecordList,
  BeforeRecordList,
  BeforeRecordView,
  type Caller,
  Caller as CallerClass,
  ForbiddenError,
  GUEST,
  type RecordListedEvent,
  type RecordListEvent,
  type RecordViewEvent,
  RecordsService,
} from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toPage } from '../../src/kernel/query/page.js';
import { ReadHooks } from '../../src/records/read/read-hooks.js';
import { startRoost } from '../support/roost.js';

const TENANTS = { name: 'people', type: 'auth', fields: [{ name: 'tenant', type: 'text' }] };
const fields = [
  { name: 'title', type: 'text' },
  { name: 'tenant', type: 'text', hidden: true },
  { name: 'secret', type: 'bool' },
  { name: 'rank', type: 'number' },
];
const open = { type: 'base', listRule: '', viewRule: '', fields };

let seen: string[];
let onList: ((event: RecordListEvent) => unknown) | undefined;
let listed: RecordListedEvent[];

const tenantOf = (caller: Caller) => String(caller.auth?.get('tenant') ?? '');

@Injectable()
class Tenancy {
  @BeforeRecordList('papers')
  mine(event: RecordListEvent): unknown {
    seen.push(`list ${event.filter}|${event.sort}`);
    if (event.caller.isGuest) throw new ForbiddenError('Members only.');
    if (!event.caller.isSuperuser) event.narrow('tenant = {:tenant}', { tenant: tenantOf(event.caller) });
    return onList?.(event);
  }

  @AfterRecordList('papers')
  note(event: RecordListedEvent): void {
    listed.push(event);
    throw new Error('Nobody waits for this.');
  }

  @BeforeRecordView('papers')
  view({ record, caller }: RecordViewEvent): void {
    seen.push(`view ${String(record.get('title'))}`);
    if (record.get('secret') === true && !caller.isSuperuser) throw new ForbiddenError('Not this one.');
  }
}

@Module({ providers: [Tenancy] })
class TenancyModule {}

describe('hooks around reading', () => {
  let roost: TestRoost;
  let [ann, bob, root] = ['', '', ''];
  const ids = new Map<string, string>();

  const records = () => roost.app.get(RecordsService, { strict: false });
  const list = (token?: string, query = '', collection = 'papers') =>
    roost.inject({ url: `/api/collections/${collection}/records${query}`, token });
  const titles = async (...args: Parameters<typeof list>) =>
    ((await list(...args)).body.items as { title: string }[]).map(({ title }) => title);
  const view = (title: string, token?: string) =>
    roost.inject({ url: `/api/collections/papers/records/${ids.get(title)}`, token });

  beforeAll(async () => {
    [seen, listed, onList] = [[], [], undefined];
    roost = await startRoost({ imports: [TenancyModule] });
    await roost.createCollections(TENANTS, { name: 'papers', ...open }, { name: 'posters', ...open });
    for (const [name, tenant] of [
      ['ann', 'a'],
      ['bob', 'b'],
    ]) {
      await records().create('people', { email: `${name}@x.io`, password: '1234567890', tenant });
    }
    [ann, bob] = [await roost.signIn('people', 'ann@x.io'), await roost.signIn('people', 'bob@x.io')];
    root = await roost.createSuperuser();
    for (const [index, title] of ['a1', 'b1', 'a2', 'b2'].entries()) {
      const values = { title, tenant: title[0], secret: title === 'a2', rank: -index };
      ids.set(title, (await records().create('papers', values)).id);
      await records().create('posters', values);
    }
  });
  afterAll(() => roost.close());
  beforeEach(() => {
    [seen, listed, onList] = [[], [], undefined];
  });

  it('EXT-37 a list is narrowed to what a hook lets through, by hidden fields too, and nobody gets the answer of another', async () => {
    for (let round = 0; round < 3; round++) {
      expect(await titles(ann)).toEqual(['a1', 'a2']);
      expect(await titles(bob)).toEqual(['b1', 'b2']);
      expect(await titles(root)).toHaveLength(4);
    }
    const { body } = await list(ann, '?filter=title!="a1"&perPage=1');
    expect([body.totalItems, body.items[0].title]).toEqual([1, 'a2']);
    expect(body.items[0]).not.toHaveProperty('tenant');
    // A filter of the client cannot get around it, and may still not name what is hidden.
    expect(await titles(ann, `?filter=${encodeURIComponent("title ~ '%' || title = 'b1'")}`)).toEqual(['a1', 'a2']);
    expect((await list(ann, '?filter=tenant="b"')).status).toBe(400);
  });

  it('EXT-37 a hook may refuse a list and sort it; others have none of it', async () => {
    const refused = await list();
    expect([refused.status, refused.body.message]).toEqual([403, 'Members only.']);
    expect(await titles(undefined, '', 'posters')).toHaveLength(4);
    onList = (event) => (event.sort ||= 'rank');
    expect(await titles(root)).toEqual(['b2', 'a2', 'b1', 'a1']);
    expect(await titles(root, '?sort=title')).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(seen).toEqual(['list |', 'list |', 'list |title']);
  });

  it('EXT-37 what a hook got wrong is an error that shows nothing', async () => {
    for (const wrong of ['nonsense = 1', 'title =']) {
      onList = (event) => event.narrow(wrong);
      const { status, text } = await list(ann);
      expect([status, text.includes('nonsense')]).toEqual([400, false]);
    }
    onList = (event) => event.narrow("title = {:title} || title = 'x'", { title: "a1' || '' = '" });
    expect(await titles(ann)).toEqual([]);
  });

  it('EXT-37 rules hold whatever a hook lets through', async () => {
    const rule = { listRule: "title != 'a1'" };
    await roost.inject({ method: 'PATCH', url: '/api/collections/papers', token: root, body: rule });
    onList = (event) => event.narrow("title = 'a1' || title = 'a2'");
    expect(await titles(ann)).toEqual(['a2']);
    await roost.inject({ method: 'PATCH', url: '/api/collections/papers', token: root, body: { listRule: '' } });
  });

  it('EXT-37 what was listed is told afterwards, and a throw changes nothing', async () => {
    expect(await titles(ann, '?sort=-title&perPage=1&page=2&filter=rank<1')).toEqual(['a1']);
    expect(await titles(ann, '?skipTotal=1')).toHaveLength(2);
    expect(listed).toMatchObject([
      { filter: 'rank<1', sort: '-title', page: 2, perPage: 1, totalItems: 2, ids: [ids.get('a1')] },
      { totalItems: -1, ids: [ids.get('a1'), ids.get('a2')] },
    ]);
    expect(listed[0]!.caller.auth!.get('email')).toBe('ann@x.io');
  });

  it('EXT-37 a record is kept from being shown after its rule, and only then', async () => {
    expect((await view('a1', ann)).body.title).toBe('a1');
    const refused = await view('a2', ann);
    expect([refused.status, refused.body.message]).toEqual([403, 'Not this one.']);
    expect((await view('a2', root)).status).toBe(200);
    expect(seen).toEqual(['view a1', 'view a2', 'view a2']);
    const rule = { viewRule: "title != 'a2'" };
    await roost.inject({ method: 'PATCH', url: '/api/collections/papers', token: root, body: rule });
    seen = [];
    expect([(await view('a2', ann)).status, seen]).toEqual([404, []]);
    await roost.inject({ method: 'PATCH', url: '/api/collections/papers', token: root, body: { viewRule: '' } });
  });

  it('EXT-34 where there is none nothing is built', async () => {
    const hooks = roost.app.get(ReadHooks, { strict: false });
    const asked = { page: toPage({}), filter: '', sort: '', expand: [] };
    expect(await hooks.beforeList('posters', GUEST, asked)).toBe(asked);
    expect(await hooks.beforeList('papers', null, asked)).toBe(asked);
    const poster = await records().findFirst('posters', "title = 'a1'");
    expect(await hooks.beforeView(poster!, GUEST)).toBeUndefined();
    await expect(hooks.beforeList('papers', GUEST, asked)).rejects.toThrow('Members only.');
  });

  it('EXT-37 code that acts as a caller meets them, code with full rights does not', async () => {
    const record = await records().findFirst('people', "email = 'ann@x.io'");
    const caller = new CallerClass(record!);
    expect((await records().find('papers', { as: caller })).items).toHaveLength(2);
    expect(await records().count('papers', { as: caller, filter: 'title = {:t}', params: { t: 'b1' } })).toBe(0);
    await expect(records().findOne('papers', ids.get('a2')!, { as: caller })).rejects.toThrow('Not this one.');
    seen = [];
    expect((await records().find('papers')).items).toHaveLength(4);
    await records().findOne('papers', ids.get('a2')!);
    expect(seen).toEqual([]);
  });
});

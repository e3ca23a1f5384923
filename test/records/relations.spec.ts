import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EVENT_BUS, type EventBus } from '../../src/events/event-bus.js';
import { RecordChanged } from '../../src/records/record-changed.event.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';

const open = { type: 'base', listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' };

describe('relations between records', () => {
  let roost: TestRoost;
  let api: RecordApi;

  beforeAll(async () => {
    roost = await startRoost();
    api = new RecordApi(roost);
    const to = (name: string, collectionId: string, options: object = {}) => ({
      name,
      type: 'relation',
      collectionId,
      maxSelect: 1,
      ...options,
    });
    await roost.createCollections(
      { id: 'rel_targets_001', name: 'targets', ...open, fields: [{ name: 'label', type: 'text' }] },
      {
        id: 'rel_holders_001',
        name: 'holders',
        ...open,
        fields: [
          to('loose', 'rel_targets_001'),
          to('cascading', 'rel_targets_001', { cascadeDelete: true }),
          to('many', 'rel_targets_001', { maxSelect: 4 }),
          to('manyCascading', 'rel_targets_001', { maxSelect: 4, cascadeDelete: true }),
          to('some', 'rel_targets_001', { maxSelect: 3, minSelect: 2 }),
        ],
      },
      {
        id: 'rel_needers_001',
        name: 'needers',
        ...open,
        fields: [to('needed', 'rel_targets_001', { required: true })],
      },
      {
        id: 'rel_wanters_001',
        name: 'wanters',
        ...open,
        fields: [to('wanted', 'rel_targets_001', { required: true, maxSelect: 3 })],
      },
      {
        id: 'rel_nodes_00001',
        name: 'nodes',
        ...open,
        fields: [to('parent', 'rel_nodes_00001', { cascadeDelete: true }), { name: 'label', type: 'text' }],
      },
      {
        id: 'rel_webs_000001',
        name: 'webs',
        ...open,
        fields: [to('parents', 'rel_webs_000001', { maxSelect: 5, cascadeDelete: true })],
      },
      {
        id: 'rel_leaves_0001',
        name: 'leaves',
        ...open,
        fields: [to('node', 'rel_nodes_00001', { cascadeDelete: true })],
      },
    );
  });

  let target: string;
  let other: string;

  beforeEach(async () => {
    target = (await api.make('targets', { label: 'target' })).id;
    other = (await api.make('targets', { label: 'other' })).id;
  });

  afterAll(() => roost.close());

  it('REL-1 COL-73 checks that related records exist and how many there are', async () => {
    const codes = async (body: object) => {
      const { data } = (await api.create('holders', body)).body;
      return Object.fromEntries(Object.entries(data).map(([key, error]) => [key, (error as { code: string }).code]));
    };
    expect(await codes({ loose: 'missing00000000', many: [target, 'missing00000000'] })).toEqual({
      loose: 'validation_missing_rel_records',
      many: 'validation_missing_rel_records',
    });
    expect(await codes({ some: [target] })).toEqual({ some: 'validation_not_enough_values' });
    expect((await api.create('holders', { some: [] })).status).toBe(200);
    const five = await Promise.all(Array.from({ length: 5 }, () => api.make('targets', {})));
    expect(await codes({ many: five.map(({ id }) => id) })).toEqual({ many: 'validation_too_many_values' });
    expect(await codes({ some: five.slice(0, 4).map(({ id }) => id) })).toEqual({ some: 'validation_too_many_values' });
  });

  it('REL-2 JSON-4 takes a deleted record out of what refers to it, without validating the rest', async () => {
    const holder = await api.make('holders', { loose: target, many: [other, target], some: [target, other] });
    roost.clock.advance(10);
    expect((await api.delete('targets', target)).status).toBe(204);
    const { body } = await api.view('holders', holder.id);
    expect(body).toMatchObject({ loose: '', many: [other], some: [other] });
    expect(body.updated > holder['updated']!).toBe(true);
  });

  it('REL-2 leaves views alone, which show what becomes of their tables', async () => {
    // Its name comes before that of its table, so nothing was taken out of that yet.
    const viewQuery = 'SELECT id, loose, many FROM holders';
    await roost.createCollections({ name: 'a_view', type: 'view', listRule: '', viewRule: '', viewQuery });
    const { id } = await api.make('holders', { loose: target, many: [other, target] });
    expect((await api.view('a_view', id)).body).toMatchObject({ loose: target, many: [other, target] });
    expect((await api.delete('targets', target)).status).toBe(204);
    expect((await api.view('a_view', id)).body).toMatchObject({ loose: '', many: [other] });
  });

  it('REL-2 finds references in fields of every name', async () => {
    const names = ['key', 'value', 'type', 'atom', 'parent', 'fullkey', 'path', 'json', 'root', 'rowid', 'oid', 'item'];
    const relation = { type: 'relation', collectionId: 'rel_targets_001', maxSelect: 4 };
    await roost.createCollections({ name: 'names', ...open, fields: names.map((name) => ({ name, ...relation })) });
    const { id } = await api.make('names', Object.fromEntries(names.map((name) => [name, [target, other]])));
    for (const name of names) {
      const through = { filter: `names_via_${name}.${name}.id ?= "${other}"`, expand: `names_via_${name}` };
      expect(await api.column('targets', 'id', through), name).toEqual([target, other]);
    }
    expect((await api.delete('targets', target)).status).toBe(204);
    const { body } = await api.view('names', id);
    expect(names.map((name) => body[name])).toEqual(names.map(() => [other]));
  });

  it('REL-2 REL-3 deletes cascading records, those of a multiple relation with their last id', async () => {
    const single = await api.make('holders', { cascading: target });
    const multiple = await api.make('holders', { manyCascading: [target, other] });
    expect((await api.delete('targets', target)).status).toBe(204);
    expect((await api.view('holders', single.id)).status).toBe(404);
    expect((await api.view('holders', multiple.id)).body.manyCascading).toEqual([other]);
    expect((await api.delete('targets', other)).status).toBe(204);
    expect((await api.view('holders', multiple.id)).status).toBe(404);
  });

  it('REL-2 ERR-3 TX-1 refuses to empty a required relation and then deletes nothing', async () => {
    const holder = await api.make('holders', { cascading: target, many: [target] });
    await api.make('needers', { needed: target });
    const refused = await api.delete('targets', target);
    expect([refused.status, refused.body.data]).toEqual([400, {}]);
    expect((await api.view('targets', target)).status).toBe(200);
    expect((await api.view('holders', holder.id)).body).toMatchObject({ cascading: target, many: [target] });
  });

  it('GRD-8 REL-2 names what still requires a record only to those who may know of it', async () => {
    const root = new RecordApi(roost, await roost.createSuperuser('grd8@example.com'));
    const needed = { type: 'relation', collectionId: 'rel_targets_001', maxSelect: 1, required: true };
    const hidden = { ...needed, name: 'unseen', hidden: true };
    await roost.createCollections(
      { name: 'closed_needers', type: 'base', viewRule: '', fields: [{ ...needed, name: 'private' }] },
      { name: 'hiding_needers', ...open, fields: [hidden] },
    );
    for (const [collection, field] of [
      ['closed_needers', 'private'],
      ['hiding_needers', 'unseen'],
    ] as const) {
      const { body: holder } = await root.create(collection, { [field]: target });
      const refused = await api.delete('targets', target);
      expect([refused.status, refused.body.data]).toEqual([400, {}]);
      expect(refused.body.message).toBe('The record is still required by another record, so it cannot be deleted.');
      expect((await root.delete('targets', target)).body.message).toContain(
        `"${field}" of a record of "${collection}"`,
      );
      await root.delete(collection, holder.id);
    }
    await api.make('needers', { needed: target });
    expect((await api.delete('targets', target)).body.message).toContain('"needed" of a record of "needers"');
  });

  it('REL-2 a required relation to several may lose all but the last', async () => {
    const wanter = await api.make('wanters', { wanted: [target, other] });
    expect((await api.delete('targets', target)).status).toBe(204);
    const refused = await api.delete('targets', other);
    expect([refused.status, refused.body.data]).toEqual([400, {}]);
    expect((await api.view('wanters', wanter.id)).body.wanted).toEqual([other]);
    await api.delete('wanters', wanter.id);
  });

  it('REL-3 ends in cycles and self references', async () => {
    const a = await api.make('nodes', { label: 'a' });
    const b = await api.make('nodes', { label: 'b', parent: a.id });
    await api.update('nodes', a.id, { parent: b.id });
    const self = await api.make('nodes', { label: 'self' });
    await api.update('nodes', self.id, { parent: self.id });
    const leaf = await api.make('leaves', { node: b.id });
    expect((await api.delete('nodes', a.id)).status).toBe(204);
    expect((await api.delete('nodes', self.id)).status).toBe(204);
    expect((await api.list('nodes')).body.items).toEqual([]);
    expect((await api.view('leaves', leaf.id)).status).toBe(404);
  });

  it('REL-2 REL-3 sees what the deletion has changed before it comes to a record', async () => {
    const root = await api.make('webs', {});
    const middle = await api.make('webs', { parents: [root.id] });
    const last = await api.make('webs', { parents: [middle.id, root.id] });
    const kept = await api.make('webs', { parents: [middle.id, root.id, last.id] });
    await api.update('webs', kept.id, { 'parents+': kept.id });
    expect((await api.delete('webs', root.id)).status).toBe(204);
    expect((await api.list('webs')).body.items).toMatchObject([{ id: kept.id, parents: [kept.id] }]);
  });

  it('REL-5 clears any number of references', async () => {
    const records = roost.app.get(RecordsService, { strict: false });
    await records.transaction(async () => {
      for (let index = 0; index < 4500; index++) {
        await records.create('holders', { loose: target });
        await records.create('leaves', {});
      }
    });
    expect((await api.delete('targets', target)).status).toBe(204);
    const left = await api.list('holders', { filter: `loose = "${target}"` });
    expect(left.body.totalItems).toBe(0);
  }, 120_000);

  it('COL-92 truncates a collection as single deletes would, or not at all', async () => {
    const token = await roost.createSuperuser('truncater@example.com');
    const truncate = (name: string) =>
      roost.inject({ method: 'DELETE', url: `/api/collections/${name}/truncate`, token });
    await api.make('needers', { needed: target });
    const holder = await api.make('holders', { loose: target, cascading: other });
    expect((await truncate('targets')).status).toBe(400);
    expect((await api.view('targets', target)).status).toBe(200);
    expect((await truncate('needers')).status).toBe(204);
    expect((await truncate('targets')).status).toBe(204);
    expect((await api.list('targets')).body.totalItems).toBe(0);
    expect((await api.view('holders', holder.id)).status).toBe(404);
    expect((await truncate('_superusers')).status).toBe(400);
    expect((await truncate('nothing')).status).toBe(404);
    expect((await roost.inject({ method: 'DELETE', url: '/api/collections/targets/truncate' })).status).toBe(401);
  });

  it('COL-92 RT-72 what a truncated collection tells of a record is what the deletions before it left', async () => {
    const told: [string, string, unknown][] = [];
    const token = await roost.createSuperuser('second@example.com');
    const truncate = () => roost.inject({ method: 'DELETE', url: '/api/collections/webs/truncate', token });
    await truncate();
    const first = await api.make('webs', {});
    const second = await api.make('webs', { parents: [first.id] });
    const third = await api.make('webs', { parents: [first.id] });
    await api.update('webs', third.id, { 'parents+': third.id });
    roost.app
      .get<EventBus>(EVENT_BUS, { strict: false })
      .subscribe(RecordChanged, ({ action, record }) => void told.push([action, record.id, record.get('parents')]));
    expect((await truncate()).status).toBe(204);
    expect(told).toEqual([
      ['delete', first.id, []],
      ['delete', second.id, [first.id]],
      ['update', third.id, [third.id]],
      ['delete', third.id, [third.id]],
    ]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { MemberRoost } from './support/member-roost.js';

const COLLECTIONS = ['_mfas', '_otps', '_authOrigins', '_externalAuths'] as const;
const VALUES = {
  _mfas: { method: 'password' },
  _otps: { password: '12345678' },
  _authOrigins: { fingerprint: 'f' },
  _externalAuths: { provider: 'google', providerId: '108' },
} as const;

describe('the system collections behind sign-ins', () => {
  let roost: MemberRoost;
  let root: string;
  let ann: RecordModel;
  beforeAll(async () => {
    roost = await MemberRoost.start();
    root = await roost.superuser();
    ann = await roost.addMember('ann@x.io');
    await roost.addMember('bob@x.io');
  });
  afterAll(() => roost.close());

  it.each(COLLECTIONS)('AUTH-1403 COL-152 %s belong to a record of an auth collection', async (name) => {
    const create = (reference: object) =>
      roost.roost.inject({
        url: `/api/collections/${name}/records`,
        token: root,
        body: { ...VALUES[name], ...reference },
      });
    const code = async (reference: object) => {
      const { status, body } = await create(reference);
      expect(status).toBe(400);
      const { data } = body as { data: Record<string, { code: string }> };
      return Object.fromEntries(Object.entries(data).map(([key, error]) => [key, error.code]));
    };
    const { id } = ann.collection;
    expect(await code({})).toEqual({ collectionRef: 'validation_required', recordRef: 'validation_required' });
    expect(await code({ collectionRef: 'nothing', recordRef: ann.id })).toEqual({
      collectionRef: 'validation_invalid_collection_id',
    });
    expect(await code({ collectionRef: 'members', recordRef: ann.id })).toEqual({
      collectionRef: 'validation_invalid_collection_id',
    });
    const otps = (await roost.get('/api/collections/_otps', root)).body as { id: string };
    expect(await code({ collectionRef: otps.id, recordRef: ann.id })).toEqual({
      collectionRef: 'validation_invalid_collection_type',
    });
    expect(await code({ collectionRef: id, recordRef: 'nobody' })).toEqual({ recordRef: 'validation_invalid_record' });
    const created = await create({ collectionRef: id, recordRef: ann.id });
    expect(created.status).toBe(200);
    const url = `/api/collections/${name}/records/${created.body.id}`;
    const update = await roost.roost.inject({ method: 'PATCH', url, token: root, body: { recordRef: 'nobody' } });
    expect(update.body.data.recordRef.code).toBe('validation_invalid_record');
  });

  it('AUTH-1403 COL-152 none belongs to a record that is deleted in the same transaction', async () => {
    const { id, collection } = await roost.addMember('eve@x.io');
    expect(await roost.isGood(await roost.signIn('eve@x.io'))).toBe(true);
    const work = roost.records.transaction(async () => {
      await roost.records.delete('members', id);
      await roost.records.create('_mfas', { ...VALUES._mfas, collectionRef: collection.id, recordRef: id });
    });
    await expect(work).rejects.toMatchObject({ data: { recordRef: { code: 'validation_invalid_record' } } });
    expect((await roost.member(id)).id).toBe(id);
  });

  it('AUTH-1403 COL-152 a link names a provider there is', async () => {
    const body = { collectionRef: ann.collection.id, recordRef: ann.id, provider: 'nobody', providerId: '1' };
    const response = await roost.roost.inject({ url: '/api/collections/_externalAuths/records', token: root, body });
    expect(response.body.data.provider.code).toBe('validation_in_invalid');
  });

  it.each(COLLECTIONS)('AUTH-1402 of %s everybody sees their own', async (name) => {
    const [row] = await roost.rowsOf(name, ann);
    const url = `/api/collections/${name}/records`;
    const [anns, bobs] = [
      await roost.roost.signIn('members', 'ann@x.io'),
      await roost.roost.signIn('members', 'bob@x.io'),
    ];
    const guests = await roost.get(url);
    expect([guests.status, guests.body.totalItems]).toEqual([200, 0]);
    expect((await roost.get(url, bobs)).body.totalItems).toBe(0);
    expect((await roost.get(url, anns)).body.items).toMatchObject([{ id: row!.id }]);
    expect((await roost.get(`${url}/${row!.id}`)).status).toBe(404);
    expect((await roost.get(`${url}/${row!.id}`, anns)).status).toBe(200);
    const body = { collectionRef: ann.collection.id, recordRef: ann.id, ...VALUES[name] };
    expect((await roost.roost.inject({ url, token: anns, body })).status).toBe(403);
    const patch = { method: 'PATCH', url: `${url}/${row!.id}`, token: anns, body: {} } as const;
    expect((await roost.roost.inject(patch)).status).toBe(403);
    const remove = (token?: string) => roost.roost.inject({ method: 'DELETE', url: `${url}/${row!.id}`, token });
    const isOwners = name === '_authOrigins' || name === '_externalAuths';
    expect((await remove(bobs)).status).toBe(isOwners ? 404 : 403);
    expect((await remove(anns)).status).toBe(isOwners ? 204 : 403);
    if (!isOwners) expect((await remove(root)).status).toBe(204);
  });
});

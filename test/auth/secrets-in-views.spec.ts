import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemberRoost } from './support/member-roost.js';

describe('the secrets of accounts that a view selects', () => {
  let roost: MemberRoost;
  let root: string;
  beforeAll(async () => {
    roost = await MemberRoost.start();
    root = await roost.superuser();
    await roost.addMember('ann@x.io', { name: 'Ann' });
  });
  afterAll(() => roost.close());

  async function view(name: string, viewQuery: string): Promise<void> {
    const body = { name, type: 'view', listRule: '', viewRule: '', viewQuery };
    const created = await roost.roost.inject({ url: '/api/collections', token: root, body });
    expect([created.status, created.text]).toEqual([200, created.text]);
  }

  it('AUTH-607 AUTH-504 JSON-5 COL-134 are shown to nobody, by whatever name and through views of views', async () => {
    await view('keys', 'SELECT id, name, m.tokenKey AS k, password, banned FROM members m');
    await view('keys_of_keys', 'SELECT id, k AS again, password AS p, name FROM keys');
    for (const [name, keys] of [
      ['keys', ['banned', 'collectionId', 'collectionName', 'id', 'name']],
      ['keys_of_keys', ['collectionId', 'collectionName', 'id', 'name']],
    ] as const) {
      for (const token of [undefined, root]) {
        const list = await roost.get(`/api/collections/${name}/records`, token);
        expect(list.body.items.map((item: object) => Object.keys(item).sort())).toEqual([keys]);
        const one = `/api/collections/${name}/records/${list.body.items[0].id as string}?fields=*,k,again,password,p`;
        expect(Object.keys((await roost.get(one, token)).body as object).sort()).toEqual(keys);
      }
    }
  });

  it('COL-134 leaves other hidden columns to superusers', async () => {
    await view('codes', 'SELECT id, sentTo FROM _otps');
    const { items } = await roost.records.find('members', {});
    const reference = { collectionRef: items[0]!.collection.id, recordRef: items[0]!.id };
    await roost.records.create('_otps', { ...reference, password: '12345678', sentTo: 'ann@x.io' });
    const list = async (token?: string) => (await roost.get('/api/collections/codes/records', token)).body.items[0];
    expect(await list(root)).toMatchObject({ sentTo: 'ann@x.io' });
    expect(await list()).not.toHaveProperty('sentTo');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { RealtimeService } from '../../src/realtime/realtime.service.js';
import { RecordsService } from '../../src/records/records.service.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RoostProcess } from '../support/roost-process.js';
import { startRoost } from '../support/roost.js';
import { Listener } from './listener.js';

let roost: TestRoost;
let records: RecordsService;
let count = 0;

beforeAll(async () => {
  roost = await startRoost();
  records = roost.app.get(RecordsService, { strict: false });
  await roost.createCollections(
    { name: 'members', type: 'auth', viewRule: 'id = @request.auth.id', fields: [{ name: 'level', type: 'number' }] },
    { name: 'robots', type: 'auth', fields: [] },
    {
      name: 'notes',
      type: 'base',
      listRule: '@request.auth.level > 1',
      fields: [{ name: 'title', type: 'text' }],
    },
  );
});
afterAll(() => roost.close());

async function member(collection = 'members', values: object = {}): Promise<{ id: string; token: string }> {
  const email = `m${++count}@example.com`;
  const { id } = await records.create(collection, { email, password: '1234567890', ...values });
  return { id, token: await roost.signIn(collection, email) };
}

const connect = (token?: string) => Listener.connect(roost, { token });

const clientOf = ({ id }: Listener) =>
  roost.app.get(RealtimeService, { strict: false }).clients.find((client) => client.id === id)!;
const identityOf = (listener: Listener) => clientOf(listener).auth?.id ?? 'guest';
const note = () => records.create('notes', { title: 'x' });

describe('the account of a connection', () => {
  it('RT-33 rises from guest with a valid token and is never changed again', async () => {
    const [ann, bob] = [await member(), await member()];
    const listener = await connect();
    expect((await listener.subscribe(['a'])).status).toBe(204);
    expect((await listener.subscribe(['a'], 'nonsense')).status).toBe(204);
    expect(identityOf(listener)).toBe('guest');
    expect((await listener.subscribe(['a'], ann.token)).status).toBe(204);
    expect(identityOf(listener)).toBe(ann.id);

    for (const token of [bob.token, undefined, 'nonsense', await roost.createSuperuser('su@example.com')]) {
      const answer = await listener.subscribe(['b'], token);
      expect(answer.body).toEqual({ code: 403, message: expect.any(String), data: {} });
    }
    expect(identityOf(listener)).toBe(ann.id);
    expect([...clientOf(listener).topics]).toEqual(['a']);
    expect((await listener.subscribe(['b'], ann.token)).status).toBe(204);
  });

  it('RT-33 takes another token of the same record, not the same id in another collection', async () => {
    const ann = await member('members', { id: 'sameidsameidsam' });
    const listener = await connect(ann.token);
    expect(identityOf(listener)).toBe(ann.id);
    roost.clock.advance(2_000);
    const record = await records.findOne('members', ann.id);
    const another = await roost.signIn('members', record.get('email') as string);
    expect(another).not.toBe(ann.token);
    expect((await listener.subscribe(['a'], another)).status).toBe(204);
    const robot = await member('robots');
    expect((await listener.subscribe(['a'], robot.token)).status).toBe(403);
  });

  it('RT-33 RT-61 checks all subscriptions for the new account from then on', async () => {
    const ann = await member('members', { level: 2 });
    const listener = await connect();
    await listener.subscribe(['notes/*']);
    await note();
    expect(await listener.settle()).toHaveLength(0);
    await listener.subscribe(['notes/*'], ann.token);
    await note();
    expect(await listener.settle()).toHaveLength(1);
  });

  it('RT-34 follows the values of the account', async () => {
    const ann = await member('members', { level: 1 });
    const listener = await connect();
    await listener.subscribe(['notes/*'], ann.token);
    await note();
    expect(await listener.settle()).toHaveLength(0);
    await records.update('members', ann.id, { level: 2 });
    await note();
    expect(await listener.settle()).toHaveLength(1);
    await records.update('members', ann.id, { level: 0 });
    await note();
    expect(await listener.settle()).toHaveLength(1);
    expect(identityOf(listener)).toBe(ann.id);
  });

  it.each([
    ['password', { password: 'abcdefghij' }],
    ['email', { email: 'changed@example.com' }],
    ['token key', { 'tokenKey:autogenerate': '' }],
  ])('RT-34 becomes a guest when the %s changes, and may then be anybody', async (_what, change) => {
    const [ann, bob] = [await member(), await member()];
    const listener = await connect();
    await listener.subscribe(['a'], ann.token);
    await records.update('members', ann.id, change);
    expect(identityOf(listener)).toBe('guest');
    expect([...clientOf(listener).topics]).toEqual(['a']);
    expect((await listener.subscribe(['a'], ann.token)).status).toBe(204);
    expect(identityOf(listener)).toBe('guest');
    expect((await listener.subscribe(['a'], bob.token)).status).toBe(204);
    expect(identityOf(listener)).toBe(bob.id);
  });

  it('RT-34 hears of its own deletion and is a guest afterwards', async () => {
    const ann = await member();
    const listener = await connect();
    await listener.subscribe([`members/${ann.id}`], ann.token);
    await records.delete('members', ann.id);
    const messages = await listener.settle();
    expect(messages.map(({ action, record }) => [action, record.id])).toEqual([['delete', ann.id]]);
    expect(identityOf(listener)).toBe('guest');
  });

  it('RT-34 is followed on every connection of the account, also when another one has closed', async () => {
    const ann = await member();
    const [first, second, third] = [await connect(ann.token), await connect(ann.token), await connect(ann.token)];
    const clients = () => roost.app.get(RealtimeService, { strict: false }).clients;
    const firstId = first.id;
    first.reader.socket.destroy();
    await expect.poll(() => clients().some(({ id }) => id === firstId)).toBe(false);
    expect([second, third].map(identityOf)).toEqual([ann.id, ann.id]);
    await records.delete('members', ann.id);
    expect([second, third].map(identityOf)).toEqual(['guest', 'guest']);
  });

  it('RT-34 COL-11 becomes a guest when the secret of its collection changes, or the collection goes', async () => {
    await roost.createCollections({ name: 'guests', type: 'auth', fields: [] });
    const [ann, bob] = [await member('guests'), await member()];
    const [listener, other] = [await connect(ann.token), await connect(bob.token)];
    const collections = roost.app.get(CollectionsService, { strict: false });
    await collections.update('guests', { authToken: { secret: 'x'.repeat(50) } });
    expect(identityOf(listener)).toBe('guest');
    const record = await records.findOne('guests', ann.id);
    await listener.subscribe(['a'], await roost.signIn('guests', record.get('email') as string));
    expect(identityOf(listener)).toBe(ann.id);
    await collections.update('guests', { name: 'visitors' });
    expect(clientOf(listener).auth?.collection.name).toBe('visitors');
    await collections.delete('visitors');
    expect(identityOf(listener)).toBe('guest');
    expect(identityOf(other)).toBe(bob.id);
  });

  it('RT-34 a superuser becomes a guest when its address is not listed any more', async () => {
    const settings = roost.app.get(SettingsService, { strict: false });
    const listener = await connect(await roost.createSuperuser('boss@example.com'));
    await settings.patch({ superuserIPs: ['127.0.0.0/8'] });
    expect(identityOf(listener)).not.toBe('guest');
    await settings.patch({ superuserIPs: [] });
    await settings.patch({ superuserIPs: ['127.0.0.0/8'] });
    expect(identityOf(listener)).not.toBe('guest');
    await settings.patch({ superuserIPs: ['10.0.0.1'] });
    expect(identityOf(listener)).toBe('guest');
    await settings.patch({ superuserIPs: [] });
  });

  it('RT-34 OPS-175 a superuser whose password another process changed becomes a guest', async () => {
    const listener = await connect(await roost.createSuperuser('cli@example.com'));
    expect(identityOf(listener)).not.toBe('guest');
    const command = new RoostProcess(
      ['superuser', 'update', 'cli@example.com', 'changed-password', `--dir=${roost.dir}`],
      {
        cwd: roost.dir,
      },
    );
    expect(await command.finished()).toMatchObject({ code: 0 });
    await expect.poll(() => identityOf(listener), { timeout: 5_000 }).toBe('guest');
  });

  it('RT-35 stays when its token expires', async () => {
    const ann = await member('members', { level: 2 });
    const listener = await connect();
    await listener.subscribe(['notes/*'], ann.token);
    roost.clock.advance(4 * 60_000);
    expect(identityOf(listener)).toBe(ann.id);
    await note();
    expect(await listener.settle()).toHaveLength(1);
  });
});

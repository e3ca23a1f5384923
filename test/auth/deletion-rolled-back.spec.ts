import { Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { BeforeRecordDelete, type RecordDeleteEvent } from '../../src/records/record.hooks.js';
import { RecordsModule } from '../../src/records/records.module.js';
import { RecordsService } from '../../src/records/records.service.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import { MemberRoost } from './support/member-roost.js';

const SYSTEM = ['_externalAuths', '_mfas', '_otps', '_authOrigins'];

/** Deletes the account of a club and then refuses to delete the club. */
@Injectable()
class ClubHooks {
  /** What was left of the account when the refusal came. */
  left: (() => Promise<unknown>) | undefined;
  seen: unknown;

  constructor(private readonly records: RecordsService) {}

  @BeforeRecordDelete('clubs')
  async close({ record }: RecordDeleteEvent): Promise<void> {
    await this.records.delete('members', record.get('head') as string);
    this.seen = await this.left?.();
    throw new Error('The club stays.');
  }
}

@Module({ imports: [RecordsModule], providers: [ClubHooks] })
class ClubModule {}

describe('the deletion of an account that is taken back', () => {
  let roost: MemberRoost;
  let hooks: ClubHooks;
  let root: string;
  let ann: RecordModel;
  let before: Record<string, object[]>;
  let count = 0;

  beforeAll(async () => {
    roost = await MemberRoost.start({}, { imports: [ClubModule] });
    root = await roost.superuser();
    hooks = roost.roost.app.get(ClubHooks, { strict: false });
    const fields = [{ name: 'head', type: 'text' }];
    await roost.roost.createCollections({ name: 'clubs', type: 'base', deleteRule: '', fields });
    await roost.roost.app.get(SettingsService, { strict: false }).patch({ batch: { enabled: true } });
  });
  afterAll(() => roost.close());
  beforeEach(async () => {
    ann = await roost.addMember(`ann${++count}@x.io`);
    const reference = { collectionRef: ann.collection.id, recordRef: ann.id };
    await roost.records.create('_externalAuths', { ...reference, provider: 'oidc', providerId: ann.id });
    await roost.records.create('_mfas', { ...reference, method: 'password' });
    await roost.records.create('_otps', { ...reference, password: '12345678', sentTo: 'ann@x.io' });
    await roost.records.create('_authOrigins', { ...reference, fingerprint: 'f' });
    before = await rows();
    for (const name of SYSTEM) expect([name, before[name]!.length]).toEqual([name, 1]);
  });

  /** What the system collections hold for the account, with its hidden values. */
  async function rows(): Promise<Record<string, object[]>> {
    const found: Record<string, object[]> = {};
    for (const name of SYSTEM) {
      const records = await roost.rowsOf(name, ann);
      found[name] = records.map((record) =>
        Object.fromEntries(record.collection.fields.map((field) => [field.name, record.get(field.name)])),
      );
    }
    return found;
  }

  async function expectNothingHappened(): Promise<void> {
    expect(await rows()).toEqual(before);
    expect((await roost.member(ann.id)).get('email')).toBe(ann.get('email'));
    expect(await roost.signIn(ann.get('email') as string)).not.toBe('');
  }

  const NOTHING = Object.fromEntries(SYSTEM.map((name) => [name, []]));

  it('REL-6 AUTH-610 brings its rows back when a later item of the batch fails', async () => {
    const requests = [
      { method: 'DELETE', url: `/api/collections/members/records/${ann.id}` },
      { method: 'DELETE', url: '/api/collections/members/records/nobody000000000' },
    ];
    const answer = await roost.post('/api/batch', { requests }, { token: root });
    expect(answer.status).toBe(400);
    expect(answer.body.data.requests).toHaveProperty('1');
    await expectNothingHappened();

    const alone = await roost.post('/api/batch', { requests: requests.slice(0, 1) }, { token: root });
    expect(alone.status).toBe(200);
    expect(await rows()).toEqual(NOTHING);
  });

  it('REL-6 AUTH-610 brings its rows back when a hook that deleted it fails', async () => {
    const club = await roost.records.create('clubs', { head: ann.id });
    hooks.left = rows;
    const url = `/api/collections/clubs/records/${club.id}`;
    const answer = await roost.roost.inject({ method: 'DELETE', url, token: root });
    expect(answer.status).toBe(400);
    expect(hooks.seen).toEqual(NOTHING);
    await expectNothingHappened();
  });

  it('REL-6 AUTH-610 brings its rows back when the transaction of a service fails', async () => {
    let seen: unknown;
    const failing = roost.records.transaction(async () => {
      await roost.records.delete('members', ann.id);
      seen = await rows();
      throw new Error('No.');
    });
    await expect(failing).rejects.toThrow('No.');
    expect(seen).toEqual(NOTHING);
    await expectNothingHappened();
  });
});

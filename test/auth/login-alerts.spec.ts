import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { type Mail, MAIL_TRANSPORT } from '../../src/mail/mail-transport.js';
import { MemberRoost, PASSWORD } from './support/member-roost.js';

describe('the alert of a sign-in from a new place', () => {
  let roost: MemberRoost;
  let ann: RecordModel;
  let deliver: (mail: Mail) => Promise<void>;
  const sent: Mail[] = [];

  beforeEach(async () => {
    sent.length = 0;
    deliver = (mail) => Promise.resolve(void sent.push(mail));
    const transport = { send: (mail: Mail) => deliver(mail) };
    const replace = [{ provide: MAIL_TRANSPORT, useValue: transport }];
    roost = await MemberRoost.start({ authAlert: { enabled: true } }, { replace, captureMails: false });
    ann = await roost.addMember('ann@x.io');
  });
  afterEach(() => roost.close());

  it('AUTH-705 comes from the second place on, names it, and not again for a known one', async () => {
    await from('10.0.0.1', 'Firefox');
    expect(sent).toHaveLength(0);
    await from('10.0.0.2', 'Firefox <b>');
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ to: [{ address: 'ann@x.io' }] });
    expect(sent[0]!.html).toContain('10.0.0.2 Firefox &lt;b&gt;');
    await from('10.0.0.1', 'Firefox');
    await from('10.0.0.2', 'Firefox <b>');
    expect(sent).toHaveLength(1);
    await from('10.0.0.1', 'Chrome');
    expect(sent).toHaveLength(2);
  });

  it('AUTH-705 tells browsers apart by the first 200 characters of their name', async () => {
    await from('10.0.0.1', 'x'.repeat(200) + 'a');
    await from('10.0.0.1', 'x'.repeat(200) + 'b');
    expect(await roost.rowsOf('_authOrigins', ann)).toHaveLength(1);
    await from('10.0.0.1', 'x'.repeat(199) + 'b');
    expect(await roost.rowsOf('_authOrigins', ann)).toHaveLength(2);
  });

  it('AUTH-705 remembers five places, the oldest goes; a place says nothing about where it is', async () => {
    for (let place = 1; place <= 6; place++) {
      roost.roost.clock.advance(1000);
      await from(`10.0.0.${place}`, 'Firefox');
    }
    const origins = await roost.rowsOf('_authOrigins', ann);
    expect(origins).toHaveLength(5);
    expect(sent).toHaveLength(5);
    expect(JSON.stringify(origins.map((origin) => origin.toRow()))).not.toContain('10.0.0');
    await from('10.0.0.1', 'Firefox');
    expect(sent).toHaveLength(6);
  });

  it('AUTH-705 a known place is touched', async () => {
    await from('10.0.0.1', 'Firefox');
    const [before] = await roost.rowsOf('_authOrigins', ann);
    roost.roost.clock.advance(5000);
    await from('10.0.0.1', 'Firefox');
    const [after] = await roost.rowsOf('_authOrigins', ann);
    expect(after!.get('updated')).not.toBe(before!.get('updated'));
    expect(after!.get('created')).toBe(before!.get('created'));
  });

  it('AUTH-706 never fails a sign-in, and alerts again when the mail did not go out', async () => {
    await from('10.0.0.1', 'Firefox');
    deliver = () => Promise.reject(new Error('No route.'));
    expect(await from('10.0.0.2', 'Firefox')).toBe(200);
    expect(await roost.rowsOf('_authOrigins', ann)).toHaveLength(1);
    deliver = (mail) => Promise.resolve(void sent.push(mail));
    expect(await from('10.0.0.2', 'Firefox')).toBe(200);
    expect(sent).toHaveLength(1);
    expect(await roost.rowsOf('_authOrigins', ann)).toHaveLength(2);
  });

  it('AUTH-706 does not wait for a mail server that does not answer', async () => {
    await from('10.0.0.1', 'Firefox');
    let release!: () => void;
    deliver = () => new Promise((resolve) => (release = resolve));
    expect(await from('10.0.0.2', 'Firefox')).toBe(200);
    expect(await roost.rowsOf('_authOrigins', ann)).toHaveLength(1);
    release();
  });

  it('AUTH-705 is not for accounts without an address, and not where it is switched off', async () => {
    await roost.configure({
      fields: [...(await fields())].map((field) => (field['name'] === 'email' ? { ...field, required: false } : field)),
      passwordAuth: { enabled: true, identityFields: ['username'] },
    });
    await roost.records.update('members', ann.id, { email: '', username: 'ann' });
    for (const place of ['10.0.0.1', '10.0.0.2']) {
      const body = { identity: 'ann', password: PASSWORD };
      expect((await roost.post('auth-with-password', body, { remoteAddress: place })).status).toBe(200);
    }
    expect(sent).toHaveLength(0);
    expect(await roost.rowsOf('_authOrigins', ann)).toHaveLength(2);
    await roost.configure({ authAlert: { enabled: false } });
    await roost.post('auth-with-password', { identity: 'ann', password: PASSWORD }, { remoteAddress: '10.0.0.3' });
    expect(await roost.rowsOf('_authOrigins', ann)).toHaveLength(2);
  });

  it('AUTH-1401 AUTH-1402 shows everybody their own places, which they may forget', async () => {
    await from('10.0.0.1', 'Firefox');
    await roost.addMember('bob@x.io');
    const [anns, bobs] = [await roost.signIn('ann@x.io'), await roost.signIn('bob@x.io')];
    const list = (token?: string) => roost.get('/api/collections/_authOrigins/records', token);
    const own = (await list(anns)).body as { items: { id: string }[] };
    expect(own.items.length).toBeGreaterThan(0);
    expect((await list()).body).toMatchObject({ totalItems: 0 });
    const theirs = (await list(bobs)).body as { items: { id: string; recordRef: string }[] };
    expect(theirs.items.every(({ recordRef }) => recordRef !== ann.id)).toBe(true);
    const url = `/api/collections/_authOrigins/records/${own.items[0]!.id}`;
    expect((await roost.get(url)).status).toBe(404);
    const remove = (token: string) => roost.roost.inject({ method: 'DELETE', url, token });
    expect((await remove(bobs)).status).toBe(404);
    expect((await remove(anns)).status).toBe(204);
  });

  async function from(remoteAddress: string, userAgent: string): Promise<number> {
    const body = { identity: 'ann@x.io', password: PASSWORD };
    const headers = { 'user-agent': userAgent };
    return (await roost.post('auth-with-password', body, { remoteAddress, headers })).status;
  }

  async function fields(): Promise<readonly Record<string, unknown>[]> {
    const { body } = await roost.get('/api/collections/members', await roost.superuser());
    return (body as { fields: Record<string, unknown>[] }).fields;
  }
});

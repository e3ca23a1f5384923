import { EventSource } from 'eventsource';
import { exportPKCS8, generateKeyPair } from 'jose';
import PocketBase, { ClientResponseError, type RecordModel } from 'pocketbase';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { IdentityProvider } from '../auth/support/identity-provider.js';
import { codeIn, type MemberRoost, PASSWORD, tokenIn } from '../auth/support/member-roost.js';
import { S3Server } from '../support/s3-server.js';
import { CalledMethods } from './support/called-methods.js';
import { expectOnPage } from './support/compatibility-page.js';
import { SdkRoost } from './support/sdk-roost.js';

/** The SDK finds EventSource on the global object, as it does in a browser. */
globalThis.EventSource = EventSource as unknown as typeof globalThis.EventSource;

/** Calls every method of the official SDK and looks at what it gives; the last test sees to it that none is missing. */
describe('the official SDK, method by method', () => {
  const called = new CalledMethods();
  let sdk: SdkRoost;
  let members: MemberRoost;
  let idp: IdentityProvider;
  let origin: string;
  let root: PocketBase;

  function client(): PocketBase {
    const pb = new PocketBase(origin);
    pb.autoCancellation(false);
    return called.watch(pb);
  }

  async function signedIn(email: string): Promise<PocketBase> {
    const pb = client();
    await pb.collection('members').authWithPassword(email, PASSWORD);
    return pb;
  }

  beforeAll(async () => {
    // The SDK warns of its deprecated methods.
    vi.spyOn(console, 'warn').mockReturnValue(undefined);
    sdk = await SdkRoost.start();
    ({ members, idp, origin } = sdk);
    root = client();
    await root.collection('_superusers').authWithPassword('root@example.com', '1234567890');
  });

  afterAll(async () => {
    vi.restoreAllMocks();
    await sdk.close();
  });

  it('records: creates, finds, changes and deletes', async () => {
    const notes = client().collection('notes');
    const made: RecordModel[] = [];
    for (const title of ['a', 'b', 'c']) made.push(await notes.create({ title }));
    expect(await notes.getList(1, 2, { sort: 'title' })).toMatchObject({ page: 1, perPage: 2, totalItems: 3 });
    expect((await notes.getFullList({ sort: '-title', batch: 2 })).map((note) => note['title'])).toEqual([
      'c',
      'b',
      'a',
    ]);
    const filter = client().filter('title = {:title}', { title: 'b' });
    expect((await notes.getFirstListItem(filter)).id).toBe(made[1]!.id);
    expect((await notes.getOne(made[0]!.id, { fields: 'title' })) as object).toEqual({ title: 'a' });
    expect((await notes.update(made[0]!.id, { title: 'z' }))['title']).toBe('z');
    expect(await notes.delete(made[0]!.id)).toBe(true);
    await expect(notes.getOne(made[0]!.id)).rejects.toMatchObject({ status: 404 });
  });

  it('accounts: signs in with passwords, codes and second factors', async () => {
    const pb = client();
    const accounts = pb.collection('members');
    expect((await accounts.listAuthMethods()).otp.enabled).toBe(true);
    await accounts.authWithPassword('ann@x.io', PASSWORD);
    expect((await accounts.authRefresh()).record['email']).toBe('ann@x.io');
    const sent = members.mails.length;
    const { otpId } = await accounts.requestOTP('ann@x.io');
    const code = codeIn((await members.mailsSent(sent + 1))[sent]!);
    await members.configure({ mfa: { enabled: true, duration: 600 } });
    const first: unknown = await accounts.authWithPassword('ann@x.io', PASSWORD).catch((error: unknown) => error);
    const { mfaId } = (first as ClientResponseError).response as { mfaId: string };
    expect((await accounts.authWithOTP(otpId, code, { mfaId })).record['email']).toBe('ann@x.io');
    await members.configure({ mfa: { enabled: false } });
  });

  it('accounts: signs in with OAuth2, lists and unlinks', async () => {
    const pb = client();
    const accounts = pb.collection('members');
    const { authURL, codeVerifier } = (await accounts.listAuthMethods()).oauth2.providers[0]!;
    const redirectURL = `${origin}/api/oauth2-redirect`;
    const landing = await idp.authorize(authURL + encodeURIComponent(redirectURL));
    const code = landing.searchParams.get('code')!;
    const { record } = await accounts.authWithOAuth2Code('oidc', code, codeVerifier, redirectURL);
    expect(record['email']).toBe('idp@x.io');
    const again = await accounts.authWithOAuth2({
      provider: 'oidc',
      urlCallback: async (url) => void (await fetch(await idp.authorize(url), { redirect: 'manual' })),
    });
    expect(again.record.id).toBe(record.id);
    expect(await accounts.listExternalAuths(record.id)).toHaveLength(1);
    expect(await accounts.unlinkExternalAuth(record.id, 'oidc')).toBe(true);
    expect(await accounts.listExternalAuths(record.id)).toHaveLength(0);
  });

  it('accounts: verifies, resets the password, changes the address', async () => {
    const { id } = await members.addMember('bob@x.io', { verified: false });
    const pb = await signedIn('bob@x.io');
    const accounts = pb.collection('members');
    const sent = members.mails.length;
    const mail = async (index: number) => (await members.mailsSent(sent + index + 1))[sent + index]!;
    expect(await accounts.requestVerification('bob@x.io')).toBe(true);
    expect(await accounts.confirmVerification(tokenIn(await mail(0)))).toBe(true);
    expect((await members.member(id)).get('verified')).toBe(true);
    expect(await accounts.requestEmailChange('bob2@x.io')).toBe(true);
    expect(await accounts.confirmEmailChange(tokenIn(await mail(1)), PASSWORD)).toBe(true);
    expect(await accounts.requestPasswordReset('bob2@x.io')).toBe(true);
    expect(await accounts.confirmPasswordReset(tokenIn(await mail(2)), 'another horse', 'another horse')).toBe(true);
    expect((await accounts.authWithPassword('bob2@x.io', 'another horse')).record.id).toBe(id);
  });

  it('accounts: impersonates', async () => {
    const ann = await root.collection('members').getFirstListItem('email = "ann@x.io"');
    const impersonated = await root.collection('members').impersonate(ann.id, 3600);
    expect(impersonated.authStore.record!.id).toBe(ann.id);
    expect((await impersonated.collection('members').authRefresh()).record.id).toBe(ann.id);
  });

  it('collections: manages definitions', async () => {
    const { collections } = root;
    await collections.create({ name: 'drafts', type: 'base', fields: [{ name: 'title', type: 'text' }] });
    expect((await collections.getOne('drafts')).name).toBe('drafts');
    expect((await collections.getFirstListItem('name = "drafts"')).type).toBe('base');
    expect((await collections.update('drafts', { listRule: '' })).listRule).toBe('');
    expect((await collections.getList(1, 1)).items).toHaveLength(1);
    expect((await collections.getFullList()).map(({ name }) => name)).toContain('drafts');
    await root.collection('drafts').create({ title: 'x' });
    expect(await collections.truncate('drafts')).toBe(true);
    expect(await root.collection('drafts').getFullList()).toEqual([]);
    await collections.import([{ name: 'drafts', type: 'base', viewRule: '' }] as never);
    expect((await collections.getOne('drafts')).viewRule).toBe('');
    expect(Object.keys(await collections.getScaffolds()).sort()).toEqual(['auth', 'base', 'view']);
    expect((await collections.getAllOAuth2Providers()).map(({ name }) => name)).toContain('github');
    expect(await collections.dryRunViewQuery('SELECT id, title FROM notes')).toBeDefined();
    expect(await collections.delete('drafts')).toBe(true);
  });

  it('files: addresses and tokens', async () => {
    const note = await root.collection('notes').create({
      paper: new File(['open'], 'paper.txt'),
      secret: new File(['closed'], 'secret.txt'),
    });
    for (const url of [
      root.files.getURL(note, note['paper'] as string),
      root.files.getUrl(note, note['paper'] as string),
      root.getFileUrl(note, note['paper'] as string),
    ]) {
      expect(await (await fetch(url)).text()).toBe('open');
    }
    const token = await root.files.getToken();
    const address = root.files.getURL(note, note['secret'] as string, { token });
    expect(await (await fetch(address)).text()).toBe('closed');
  });

  it('batch: runs several writes in one', async () => {
    const kept = await root.collection('notes').create({ title: 'kept' });
    const gone = await root.collection('notes').create({ title: 'gone' });
    const batch = root.createBatch();
    const notes = batch.collection('notes');
    notes.create({ title: 'new', paper: new File(['batched'], 'batch.txt') });
    notes.update(kept.id, { title: 'changed' });
    notes.upsert({ id: 'upserted0000001', title: 'upserted' });
    notes.delete(gone.id);
    const results = await batch.send();
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 204]);
    expect((await root.collection('notes').getOne('upserted0000001'))['title']).toBe('upserted');
  });

  it('realtime: subscribes and unsubscribes', async () => {
    const pb = client();
    const heard: string[] = [];
    const listener = (event: { action: string }) => void heard.push(event.action);
    await pb.collection('notes').subscribe('*', listener);
    await pb.realtime.subscribe('notes/*', listener);
    const note = await root.collection('notes').create({ title: 'told' });
    await expect.poll(() => heard).toEqual(['create', 'create']);
    await pb.realtime.unsubscribeByTopicAndListener('notes/*', listener as never);
    await pb.collection('notes').subscribe(note.id, listener);
    await pb.collection('notes').unsubscribe(note.id);
    await pb.realtime.subscribe('notes/*', listener);
    await pb.realtime.unsubscribeByPrefix('notes');
    await pb.realtime.unsubscribe();
    expect(pb.realtime.isConnected).toBe(false);
  });

  it('settings: reads, changes and tries them', async () => {
    expect(await root.settings.getAll()).toHaveProperty('meta');
    expect((await root.settings.update({ meta: { appName: 'Tried' } }))['meta']).toMatchObject({ appName: 'Tried' });
    const s3 = await S3Server.open('files');
    try {
      await root.settings.update({ s3: s3.settings() });
      expect(await root.settings.testS3('storage')).toBe(true);
    } finally {
      await root.settings.update({ s3: { enabled: false } });
      await s3.close();
    }
    expect(await root.settings.testEmail('members', 'me@x.io', 'verification')).toBe(true);
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const pem = await exportPKCS8(privateKey);
    const { secret } = await root.settings.generateAppleClientSecret('app', 'TEAM567890', 'KEY4567890', pem, 60);
    expect(secret.split('.')).toHaveLength(3);
  });

  it('logs: lists, views, counts and deletes', async () => {
    await expect.poll(async () => (await root.logs.getList(1, 5)).items.length, { timeout: 10_000 }).toBeGreaterThan(0);
    const [entry] = (await root.logs.getList(1, 1)).items;
    expect((await root.logs.getOne(entry!.id)).id).toBe(entry!.id);
    expect((await root.logs.getStats())[0]).toHaveProperty('total');
    expect(await root.logs.truncate()).toBe(true);
  });

  it('crons and health', async () => {
    const [job] = await root.crons.getFullList();
    expect(await root.crons.run(job!.id)).toBe(true);
    expect((await root.health.check()).code).toBe(200);
  });

  it('SQL: runs a statement', async () => {
    const result = await root.sql.run("SELECT 1 AS one, 'two' AS two");
    expect(result.columns.map(({ name }) => name)).toEqual(['one', 'two']);
    expect(result.rows).toEqual([['1', 'two']]);
  });

  it('the client and its store', async () => {
    const pb = client();
    expect(pb.buildURL('/api/health')).toBe(`${origin}/api/health`);
    expect(pb.buildUrl('/api/health')).toBe(`${origin}/api/health`);
    expect(await pb.send('/api/health', {})).toMatchObject({ code: 200 });
    pb.autoCancellation(true);
    const cancelled = pb.send('/api/health', { requestKey: 'slow' }).catch((error: unknown) => error);
    pb.cancelRequest('slow');
    expect(await cancelled).toMatchObject({ isAbort: true });
    const all = pb.send('/api/health', { requestKey: 'other' }).catch((error: unknown) => error);
    pb.cancelAllRequests();
    expect(await all).toMatchObject({ isAbort: true });
    const heard: string[] = [];
    const stop = pb.authStore.onChange((token) => heard.push(token));
    const member = await signedIn('ann@x.io');
    pb.authStore.save(member.authStore.token, member.authStore.record);
    const cookie = pb.authStore.exportToCookie({ httpOnly: false });
    pb.authStore.clear();
    expect(pb.authStore.isValid).toBe(false);
    pb.authStore.loadFromCookie(cookie);
    expect(pb.authStore.record!['email']).toBe('ann@x.io');
    expect(heard).toHaveLength(3);
    stop();
  });

  it('backups: makes, uploads, downloads, restores and deletes', async () => {
    expect(await root.backups.create('own.zip')).toBe(true);
    const [backup] = await root.backups.getFullList();
    expect(backup!.key).toBe('own.zip');
    const token = await root.files.getToken();
    const archive = await (await fetch(root.backups.getDownloadURL(token, 'own.zip'))).blob();
    expect((await fetch(root.backups.getDownloadUrl(token, 'own.zip'))).status).toBe(200);
    expect(await root.backups.upload({ file: new File([archive], 'up.zip') })).toBe(true);
    await root.collection('notes').create({ id: 'aftertheback001', title: 'after' });
    expect(await root.backups.restore('up.zip')).toBe(true);
    await expect
      .poll(
        () =>
          root
            .collection('notes')
            .getOne('aftertheback001')
            .then(
              () => 200,
              (error: ClientResponseError) => error.status,
            ),
        { timeout: 20_000 },
      )
      .toBe(404);
    expect(await root.backups.delete('own.zip')).toBe(true);
  });

  it('leaves no method of the SDK out, as docs/sdk-compatibility.md says', () => {
    expectOnPage('Node.js', called.names());
  });
});

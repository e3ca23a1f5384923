import { exportPKCS8, generateKeyPair } from 'jose';
import type PocketBase from 'pocketbase';
import type { ClientResponseError, RecordModel } from 'pocketbase';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { IdentityProvider } from '../auth/support/identity-provider.js';
import { codeIn, type MemberRoost, tokenIn } from '../auth/support/member-roost.js';
import { expectOnPage } from '../sdk/support/compatibility-page.js';
import { SdkRoost } from '../sdk/support/sdk-roost.js';
import { S3Server } from '../support/s3-server.js';
import { ForeignPage } from './support/foreign-page.js';

declare global {
  interface Window {
    /** Signed in as the superuser. */
    root: PocketBase;
    /** The token or the code in a mail that was sent, counted from 0. */
    mailed: (what: 'token' | 'code', index: number) => Promise<string>;
    accountOfPopup: Promise<RecordModel>;
  }
}

/** Calls every method of the SDK inside the page. What is evaluated there sees nothing of this file but its types. */
describe('the official SDK in a browser, from another origin', () => {
  let sdk: SdkRoost;
  let members: MemberRoost;
  let idp: IdentityProvider;
  let app: ForeignPage;
  let page: Page;

  beforeAll(async () => {
    sdk = await SdkRoost.start();
    ({ members, idp } = sdk);
    app = await ForeignPage.open(sdk.origin);
    page = app.page;
    await page.exposeFunction('mailed', async (what: 'token' | 'code', index: number) => {
      const mail = (await members.mailsSent(index + 1))[index]!;
      return what === 'token' ? tokenIn(mail) : codeIn(mail);
    });
    await page.evaluate(async () => {
      window.root = window.kit.stranger();
      await window.root.collection('_superusers').authWithPassword('root@example.com', '1234567890');
    });
  });

  afterEach(() => expect(app.complaints).toEqual([]));

  afterAll(async () => {
    await app?.close();
    await sdk?.close();
  });

  it('records: creates, finds, changes and deletes', async () => {
    const seen = await page.evaluate(async () => {
      const pb = window.kit.client();
      const notes = pb.collection('notes');
      const made: RecordModel[] = [];
      for (const title of ['a', 'b', 'c']) made.push(await notes.create({ title }));
      const { page, perPage, totalItems } = await notes.getList(1, 2, { sort: 'title' });
      return {
        list: { page, perPage, totalItems },
        all: (await notes.getFullList({ sort: '-title', batch: 2 })).map((note) => note['title'] as string),
        first: (await notes.getFirstListItem(pb.filter('title = {:title}', { title: 'b' })))['title'] as string,
        one: await notes.getOne<object>(made[0]!.id, { fields: 'title' }),
        changed: (await notes.update(made[0]!.id, { title: 'z' }))['title'] as string,
        deleted: await notes.delete(made[0]!.id),
        after: await notes.getOne(made[0]!.id).catch((error: ClientResponseError) => [error.status, error.response]),
      };
    });
    expect(seen).toMatchObject({
      list: { page: 1, perPage: 2, totalItems: 3 },
      all: ['c', 'b', 'a'],
      first: 'b',
      one: { title: 'a' },
      changed: 'z',
      deleted: true,
      after: [404, { code: 404, data: {} }],
    });
  });

  it('AUTH-1701 accounts: signs in with passwords, codes and second factors', async () => {
    const sent = members.mails.length;
    const first = await page.evaluate(async (index) => {
      const accounts = window.kit.client().collection('members');
      const { otp } = await accounts.listAuthMethods();
      await accounts.authWithPassword('ann@x.io', 'correct horse');
      const { record } = await accounts.authRefresh();
      const { otpId } = await accounts.requestOTP('ann@x.io');
      return { otp: otp.enabled, email: record['email'] as string, otpId, code: await window.mailed('code', index) };
    }, sent);
    expect(first).toMatchObject({ otp: true, email: 'ann@x.io' });
    await members.configure({ mfa: { enabled: true, duration: 600 } });
    const second = await page.evaluate(async ({ otpId, code }) => {
      const pb = window.kit.client();
      pb.authStore.clear();
      const accounts = pb.collection('members');
      const refusal: unknown = await accounts.authWithPassword('ann@x.io', 'correct horse').catch((error) => error);
      const { status, response } = refusal as ClientResponseError;
      const { record } = await accounts.authWithOTP(otpId, code, { mfaId: response['mfaId'] as string });
      return { status, email: record['email'] as string, valid: pb.authStore.isValid };
    }, first);
    expect(second).toEqual({ status: 401, email: 'ann@x.io', valid: true });
    await members.configure({ mfa: { enabled: false } });
  });

  it('AUTH-1701 accounts: are signed in in the next tab as well', async () => {
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await tab.waitForFunction(() => window.kit);
    const email = await tab.evaluate(async () => {
      const { record } = await window.kit.client().collection('members').authRefresh();
      return record['email'] as string;
    });
    expect(email).toBe('ann@x.io');
    await tab.close();
  });

  it('AUTH-1701 RT-93 accounts: signs in with OAuth2 in a popup, which closes by itself', async () => {
    await page.evaluate(() => {
      document.querySelector('button')!.onclick = () => {
        const accounts = window.kit.stranger().collection('members');
        window.accountOfPopup = accounts.authWithOAuth2({ provider: 'oidc' }).then(({ record }) => record);
      };
    });
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('button')]);
    const closed = popup.isClosed() ? undefined : popup.waitForEvent('close');
    expect(await page.evaluate(() => window.accountOfPopup)).toMatchObject({ email: 'idp@x.io', name: 'Ann' });
    await closed;
    expect(page.context().pages()).toEqual([page]);
  });

  it('AUTH-1701 accounts: signs in with OAuth2 through a redirect of its own, lists and unlinks', async () => {
    const { authURL, codeVerifier } = await page.evaluate(
      async () => (await window.kit.client().collection('members').listAuthMethods()).oauth2.providers[0]!,
    );
    const redirectURL = `${await members.roost.listen()}/api/oauth2-redirect`;
    const code = (await idp.authorize(authURL + encodeURIComponent(redirectURL))).searchParams.get('code')!;
    const seen = await page.evaluate(
      async ([given, verifier, redirect]) => {
        const accounts = window.kit.client().collection('members');
        const { record } = await accounts.authWithOAuth2Code('oidc', given!, verifier!, redirect!);
        const links = await accounts.listExternalAuths(record.id);
        const unlinked = await accounts.unlinkExternalAuth(record.id, 'oidc');
        return { email: record['email'] as string, links: links.length, unlinked };
      },
      [code, codeVerifier, redirectURL],
    );
    expect(seen).toEqual({ email: 'idp@x.io', links: 1, unlinked: true });
  });

  it('AUTH-1701 accounts: verifies, resets the password, changes the address', async () => {
    const { id } = await members.addMember('bob@x.io', { verified: false });
    const seen = await page.evaluate(async (sent) => {
      const pb = window.kit.stranger();
      const accounts = pb.collection('members');
      await accounts.authWithPassword('bob@x.io', 'correct horse');
      const token = (index: number) => window.mailed('token', sent + index);
      const results = [
        await accounts.requestVerification('bob@x.io'),
        await accounts.confirmVerification(await token(0)),
        await accounts.requestEmailChange('bob2@x.io'),
        await accounts.confirmEmailChange(await token(1), 'correct horse'),
        await accounts.requestPasswordReset('bob2@x.io'),
        await accounts.confirmPasswordReset(await token(2), 'another horse', 'another horse'),
      ];
      const { record } = await accounts.authWithPassword('bob2@x.io', 'another horse');
      return { results, id: record.id, verified: record['verified'] as boolean };
    }, members.mails.length);
    expect(seen).toEqual({ results: Array.from({ length: 6 }, () => true), id, verified: true });
  });

  it('AUTH-1701 accounts: impersonates', async () => {
    const seen = await page.evaluate(async () => {
      const ann = await window.root.collection('members').getFirstListItem('email = "ann@x.io"');
      const other = await window.root.collection('members').impersonate(ann.id, 3600);
      return [ann.id, other.authStore.record!.id, (await other.collection('members').authRefresh()).record.id];
    });
    expect(new Set(seen).size).toBe(1);
  });

  it('collections: manages definitions', async () => {
    const seen = await page.evaluate(async () => {
      const { collections } = window.root;
      await collections.create({ name: 'drafts', type: 'base', fields: [{ name: 'title', type: 'text' }] });
      const name = (await collections.getOne('drafts')).name;
      const { type } = await collections.getFirstListItem('name = "drafts"');
      const { listRule } = await collections.update('drafts', { listRule: '' });
      const some = (await collections.getList(1, 1)).items.length;
      const all = (await collections.getFullList()).map((collection) => collection.name);
      await window.root.collection('drafts').create({ title: 'x' });
      const truncated = await collections.truncate('drafts');
      const left = (await window.root.collection('drafts').getFullList()).length;
      await collections.import([{ name: 'drafts', type: 'base', viewRule: '' }] as never);
      const { viewRule } = await collections.getOne('drafts');
      const scaffolds = Object.keys(await collections.getScaffolds()).sort();
      const providers = (await collections.getAllOAuth2Providers()).map((provider) => provider.name);
      const dryRun = await collections.dryRunViewQuery('SELECT id, title FROM notes');
      const deleted = await collections.delete('drafts');
      return { name, type, listRule, some, all, truncated, left, viewRule, scaffolds, providers, dryRun, deleted };
    });
    expect(seen).toMatchObject({
      name: 'drafts',
      type: 'base',
      listRule: '',
      some: 1,
      all: expect.arrayContaining(['drafts', 'notes']),
      truncated: true,
      left: 0,
      viewRule: '',
      scaffolds: ['auth', 'base', 'view'],
      providers: expect.arrayContaining(['github']),
      dryRun: expect.anything(),
      deleted: true,
    });
  });

  it('files: uploads a File and a Blob, and shows them in the page', async () => {
    const picture = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#1f6f5c' } })
      .png()
      .toBuffer();
    const seen = await page.evaluate(async (base64) => {
      const { root } = window;
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const show = async (address: string) => {
        const image = new Image();
        image.src = address;
        await image.decode();
        return [image.naturalWidth, image.naturalHeight];
      };
      const note = await root.collection('notes').create({
        paper: new File([bytes], 'My Picture.png', { type: 'image/png' }),
        secret: new Blob(['closed'], { type: 'text/plain' }),
      });
      const [paper, secret] = [note['paper'] as string, note['secret'] as string];
      const address = root.files.getURL(note, secret, { token: await root.files.getToken() });
      return {
        paper,
        shown: await show(root.files.getURL(note, paper)),
        thumb: await show(root.files.getURL(note, paper, { thumb: '15x10' })),
        older: [await show(root.files.getUrl(note, paper)), await show(root.getFileUrl(note, paper))],
        secret: await (await fetch(address)).text(),
        refused: (await fetch(root.files.getURL(note, secret))).status,
      };
    }, picture.toString('base64'));
    expect(seen).toEqual({
      paper: expect.stringMatching(/^my_picture_[a-z0-9]{10}\.png$/),
      shown: [30, 20],
      thumb: [15, 10],
      older: [
        [30, 20],
        [30, 20],
      ],
      secret: 'closed',
      refused: 404,
    });
  });

  it('batch: runs several writes in one, files included', async () => {
    const seen = await page.evaluate(async () => {
      const { root } = window;
      const kept = await root.collection('notes').create({ title: 'kept' });
      const gone = await root.collection('notes').create({ title: 'gone' });
      const batch = root.createBatch();
      const notes = batch.collection('notes');
      notes.create({ title: 'new', paper: new File(['batched'], 'batch.txt') });
      notes.update(kept.id, { title: 'changed', paper: new Blob(['blob'], { type: 'text/plain' }) });
      notes.upsert({ id: 'upserted0000001', title: 'upserted' });
      notes.delete(gone.id);
      const results = await batch.send();
      const read = async ({ body }: (typeof results)[number]) =>
        (await fetch(root.files.getURL(body as RecordModel, (body as RecordModel)['paper'] as string))).text();
      return {
        statuses: results.map(({ status }) => status),
        files: [await read(results[0]!), await read(results[1]!)],
        upserted: (await root.collection('notes').getOne('upserted0000001'))['title'] as string,
      };
    });
    expect(seen).toEqual({ statuses: [200, 200, 200, 204], files: ['batched', 'blob'], upserted: 'upserted' });
  });

  it('RT-99 realtime: subscribes and unsubscribes', async () => {
    const seen = await page.evaluate(async () => {
      const pb = window.kit.stranger();
      const heard: string[] = [];
      let told: () => void = () => undefined;
      const listener = (event: { action: string }) => {
        heard.push(event.action);
        told();
      };
      const twice = new Promise<void>((resolve) => (told = () => heard.length === 2 && resolve()));
      await pb.collection('notes').subscribe('*', listener);
      await pb.realtime.subscribe('notes/*', listener);
      const note = await window.root.collection('notes').create({ title: 'told' });
      await twice;
      await pb.realtime.unsubscribeByTopicAndListener('notes/*', listener as never);
      await pb.collection('notes').subscribe(note.id, listener);
      await pb.collection('notes').unsubscribe(note.id);
      await pb.realtime.subscribe('notes/*', listener);
      await pb.realtime.unsubscribeByPrefix('notes');
      await pb.realtime.unsubscribe();
      return { heard, connected: pb.realtime.isConnected };
    });
    expect(seen).toEqual({ heard: ['create', 'create'], connected: false });
  });

  it('settings: reads, changes and tries them', async () => {
    const s3 = await S3Server.open('files');
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    try {
      const seen = await page.evaluate(
        async ([storage, pem]) => {
          const { settings } = window.root;
          const keys = Object.keys(await settings.getAll());
          const { meta } = await settings.update({ meta: { appName: 'Tried' } });
          await settings.update({ s3: storage });
          const tested = await settings.testS3('storage');
          await settings.update({ s3: { enabled: false } });
          const mailed = await settings.testEmail('members', 'me@x.io', 'verification');
          const { secret } = await settings.generateAppleClientSecret('app', 'TEAM567890', 'KEY4567890', pem, 60);
          return { keys, name: (meta as { appName: string }).appName, tested, mailed, parts: secret.split('.').length };
        },
        [s3.settings(), await exportPKCS8(privateKey)] as const,
      );
      expect(seen).toEqual({
        keys: expect.arrayContaining(['meta', 'smtp']),
        name: 'Tried',
        tested: true,
        mailed: true,
        parts: 3,
      });
    } finally {
      await s3.close();
    }
  });

  it('logs: lists, views, counts and deletes', async () => {
    const listed = () => page.evaluate(async () => (await window.root.logs.getList(1, 5)).items.map(({ id }) => id));
    await expect.poll(listed, { timeout: 10_000 }).not.toEqual([]);
    const seen = await page.evaluate(async () => {
      const { logs } = window.root;
      const id = (await logs.getList(1, 1)).items[0]!.id;
      return {
        same: (await logs.getOne(id)).id === id,
        stats: await logs.getStats(),
        truncated: await logs.truncate(),
      };
    });
    expect(seen).toMatchObject({ same: true, truncated: true });
    expect(seen.stats[0]).toHaveProperty('total');
  });

  it('crons, health and SQL', async () => {
    const seen = await page.evaluate(async () => {
      const { root } = window;
      const [job] = await root.crons.getFullList();
      const ran = await root.crons.run(job!.id);
      const { columns, rows } = await root.sql.run("SELECT 1 AS one, 'two' AS two");
      return { ran, health: (await root.health.check()).code, columns: columns.map(({ name }) => name), rows };
    });
    expect(seen).toEqual({ ran: true, health: 200, columns: ['one', 'two'], rows: [['1', 'two']] });
  });

  it('the client and its store', async () => {
    const seen = await page.evaluate(async () => {
      const pb = window.kit.stranger();
      const addresses = [pb.buildURL('/api/health'), pb.buildUrl('/api/health')];
      const health = ((await pb.send('/api/health', {})) as { code: number }).code;
      pb.autoCancellation(true);
      const aborted = (requestKey: string) =>
        pb.send('/api/health', { requestKey }).catch((error: ClientResponseError) => error.isAbort);
      const one = aborted('slow');
      pb.cancelRequest('slow');
      const all = aborted('other');
      pb.cancelAllRequests();
      const cancelled = [await one, await all];
      const heard: boolean[] = [];
      const stop = pb.authStore.onChange((token) => void heard.push(token !== ''));
      const { token, record } = window.root.authStore;
      pb.authStore.save(token, record);
      const cookie = pb.authStore.exportToCookie({ httpOnly: false });
      pb.authStore.clear();
      pb.authStore.loadFromCookie(cookie);
      stop();
      return { addresses, origin: window.kit.origin, health, cancelled, heard, valid: pb.authStore.isValid };
    });
    const health = `${seen.origin}/api/health`;
    expect(seen).toMatchObject({ addresses: [health, health], health: 200, cancelled: [true, true], valid: true });
    expect(seen.heard).toEqual([true, false, true]);
  });

  it('backups: makes, uploads, downloads, restores and deletes', async () => {
    const seen = await page.evaluate(async () => {
      const { root } = window;
      const made = await root.backups.create('own.zip');
      const keys = (await root.backups.getFullList()).map(({ key }) => key);
      const token = await root.files.getToken();
      const archive = await (await fetch(root.backups.getDownloadURL(token, 'own.zip'))).blob();
      const older = (await fetch(root.backups.getDownloadUrl(token, 'own.zip'))).status;
      const uploaded = await root.backups.upload({ file: new File([archive], 'up.zip') });
      await root.collection('notes').create({ id: 'aftertheback001', title: 'after' });
      return { made, keys, older, uploaded, restored: await root.backups.restore('up.zip') };
    });
    expect(seen).toEqual({ made: true, keys: ['own.zip'], older: 200, uploaded: true, restored: true });
    const status = () =>
      page.evaluate(() =>
        window.root
          .collection('notes')
          .getOne('aftertheback001')
          .then(
            () => 200,
            (error: ClientResponseError) => error.status,
          ),
      );
    await expect.poll(status, { timeout: 20_000 }).toBe(404);
    expect(await page.evaluate(() => window.root.backups.delete('own.zip'))).toBe(true);
  });

  it('leaves no method of the SDK out, as docs/sdk-compatibility.md says', async () => {
    expectOnPage('Chromium', await page.evaluate(() => window.kit.called()));
  });
});

import { ConflictException, Injectable, Module } from '@nestjs/common';
import {
  AfterBackup,
  AfterCollectionCreate,
  AfterCollectionDelete,
  AfterCollectionUpdate,
  AfterRealtimeDisconnect,
  AfterRecordDelete,
  AfterRestore,
  AfterSettingsUpdate,
  BeforeBackup,
  BeforeCollectionCreate,
  BeforeCollectionDelete,
  BeforeCollectionImport,
  BeforeCollectionUpdate,
  BeforeCronRun,
  BeforeMailSend,
  BeforeRecordDelete,
  BeforeRestore,
  BeforeSettingsUpdate,
  type Caller,
  type CollectionImportEvent,
  CollectionsService,
  ForbiddenError,
  type Hook,
  HookRegistry,
  SettingsService,
  type SettingsUpdateEvent,
  ValidateCollection,
  type ValidateCollectionEvent,
} from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BackupsService } from '../../src/backups/backups.service.js';
import { CronsService } from '../../src/crons/crons.service.js';
import { startRoost } from '../support/roost.js';
import { SseReader } from '../support/sse-reader.js';

const HOOKS = [
  AfterBackup,
  AfterCollectionCreate,
  AfterCollectionDelete,
  AfterCollectionUpdate,
  AfterRealtimeDisconnect,
  AfterRecordDelete,
  AfterRestore,
  AfterSettingsUpdate,
  BeforeBackup,
  BeforeCollectionCreate,
  BeforeCollectionDelete,
  BeforeCollectionImport,
  BeforeCollectionUpdate,
  BeforeCronRun,
  BeforeMailSend,
  BeforeRecordDelete,
  BeforeRestore,
  BeforeSettingsUpdate,
  ValidateCollection,
] as readonly Hook<never>[];

// oxlint-disable-next-line typescript/no-explicit-any
let on: Record<string, (event: any) => unknown>;
let seen: string[];

function nameOf(caller: Caller | null | undefined): string {
  return caller ? String(caller.auth?.get('email')) : 'code';
}

/** Hooks that do nothing unless a test says what. */
@Injectable()
class Programmed {
  constructor(registry: HookRegistry) {
    for (const hook of HOOKS) {
      const run = (event: { caller?: Caller | null }) => {
        seen.push(`${hook.hookName} by ${nameOf(event.caller)}`);
        return on[hook.hookName]?.(event);
      };
      registry.add(hook, { run, collections: [], order: 0, label: 'test' });
    }
  }
}

@Module({ providers: [Programmed] })
class WatchModule {}

describe('hooks around the product', () => {
  let roost: TestRoost;
  let token: string;
  const ROOT = 'root@example.com';
  const refuse = () => {
    throw new ForbiddenError('Refused.');
  };
  const call = (method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', url: string, body?: object) =>
    roost.inject({ method, url: `/api/${url}`, token, body });

  beforeAll(async () => {
    [on, seen] = [{}, []];
    roost = await startRoost({ imports: [WatchModule] });
    token = await roost.createSuperuser(ROOT);
  });
  afterAll(() => roost.close());
  beforeEach(() => {
    [on, seen] = [{}, []];
  });

  it('EXT-37 events of collections say who asked', async () => {
    await call('POST', 'collections', { name: 'notes', type: 'base' });
    await call('PATCH', 'collections/notes', { listRule: '' });
    await call('DELETE', 'collections/notes');
    expect(seen).toEqual([
      `BeforeCollectionCreate by ${ROOT}`,
      `ValidateCollection by ${ROOT}`,
      `AfterCollectionCreate by ${ROOT}`,
      `BeforeCollectionUpdate by ${ROOT}`,
      `ValidateCollection by ${ROOT}`,
      `AfterCollectionUpdate by ${ROOT}`,
      `BeforeCollectionDelete by ${ROOT}`,
      `AfterCollectionDelete by ${ROOT}`,
    ]);
    seen = [];
    const collections = roost.app.get(CollectionsService, { strict: false });
    await collections.create({ name: 'notes', type: 'base' });
    await collections.delete('notes');
    expect(new Set(seen.map((entry) => entry.split(' by ')[1]))).toEqual(new Set(['code']));
  });

  it('EXT-37 an import can be changed and refused before it begins', async () => {
    const importing = (...names: string[]) =>
      call('PUT', 'collections/import', { collections: names.map((name) => ({ name, type: 'base' })) });
    on['BeforeCollectionImport'] = (event: CollectionImportEvent) => {
      event.collections = event.collections.filter(({ name }) => name !== 'unwanted');
    };
    expect((await importing('wanted', 'unwanted')).status).toBe(204);
    const collections = roost.app.get(CollectionsService, { strict: false });
    expect([collections.find('wanted')?.name, collections.find('unwanted')]).toEqual(['wanted', undefined]);
    expect(seen[0]).toBe(`BeforeCollectionImport by ${ROOT}`);
    expect(seen).toContain(`AfterCollectionCreate by ${ROOT}`);
    on['BeforeCollectionImport'] = refuse;
    const refused = await importing('other');
    expect([refused.status, refused.body.message]).toEqual([403, 'Refused.']);
    expect(collections.find('other')).toBeUndefined();
    await collections.delete('wanted');
  });

  it('EXT-35 ValidateCollection adds its errors to those of the product, for imports too', async () => {
    on['ValidateCollection'] = ({ collection, original, errors }: ValidateCollectionEvent) => {
      if (original === undefined && !collection.name.startsWith('shop_')) {
        errors['name'] = { code: 'validation_prefix', message: 'Must begin with shop_.' };
      }
    };
    const both = await call('POST', 'collections', { name: 'notes', type: 'base', listRule: 'nonsense = 1' });
    expect(both.status).toBe(400);
    expect(both.body.data.name).toEqual({ code: 'validation_prefix', message: 'Must begin with shop_.' });
    expect(both.body.data).toHaveProperty('listRule');
    const imported = await call('PUT', 'collections/import', { collections: [{ name: 'notes', type: 'base' }] });
    expect([imported.status, imported.text.includes('Must begin with shop_.')]).toEqual([400, true]);
    expect((await call('POST', 'collections', { name: 'shop_notes', type: 'base' })).status).toBe(200);
    expect((await call('PATCH', 'collections/shop_notes', { name: 'notes' })).status).toBe(200);
    expect((await call('DELETE', 'collections/notes')).status).toBe(204);
  });

  it('EXT-37 events of settings say who asked', async () => {
    await call('PATCH', 'settings', { meta: { appName: 'Shop' } });
    await roost.app.get(SettingsService).patch({ meta: { appName: 'Other' } });
    expect(seen).toEqual([
      `BeforeSettingsUpdate by ${ROOT}`,
      `AfterSettingsUpdate by ${ROOT}`,
      'BeforeSettingsUpdate by code',
      'AfterSettingsUpdate by code',
    ]);
    on['BeforeSettingsUpdate'] = (event: SettingsUpdateEvent) => {
      if (event.after.meta.appName === 'Nothing') throw new ForbiddenError('Refused.');
      event.after = { ...event.after, meta: { ...event.after.meta, appName: `The ${event.after.meta.appName}` } };
    };
    expect((await call('PATCH', 'settings', { meta: { appName: 'Nothing' } })).status).toBe(403);
    expect((await call('PATCH', 'settings', { meta: { appName: 'Shop' } })).body.meta.appName).toBe('The Shop');
    on = {};
    await roost.app.get(SettingsService).patch({ meta: { appName: 'Other' } });
  });

  it('EXT-31 OPS-5 what a hook makes of settings is checked like what was sent', async () => {
    const settings = roost.app.get(SettingsService);
    const before = settings.get();
    for (const after of [
      { ...before, batch: { ...before.batch, timeout: -1 } },
      { ...before, logs: 5 },
      { ...before, logs: { ...before.logs, maxDays: 'x' } },
    ]) {
      on['BeforeSettingsUpdate'] = (event: SettingsUpdateEvent) => Object.assign(event, { after });
      expect((await call('PATCH', 'settings', { meta: { appName: 'Shop' } })).status).toBe(400);
      expect(settings.get()).toEqual(before);
    }
    on['BeforeSettingsUpdate'] = (event: SettingsUpdateEvent) => Object.assign(event, { after: undefined });
    expect((await call('PATCH', 'settings', { meta: { appName: 'Shop' } })).body.meta.appName).toBe('Shop');
    on = {};
    await settings.patch({ meta: { appName: 'Other' } });
  });

  it('EXT-37 a backup and its restoring can be refused, and say who asked', async () => {
    const backups = roost.app.get(BackupsService, { strict: false });
    on['BeforeBackup'] = refuse;
    expect((await call('POST', 'backups', { name: 'a.zip' })).status).toBe(403);
    [on, seen] = [{}, []];
    expect((await call('POST', 'backups', { name: 'a.zip' })).status).toBe(204);
    on['BeforeRestore'] = refuse;
    const refused = await call('POST', 'backups/a.zip/restore');
    expect([refused.status, refused.body.message]).toEqual([403, 'Refused.']);
    on = {};
    await roost.app.get(SettingsService).patch({ meta: { appName: 'After the backup' } });
    seen = seen.filter((entry) => !entry.includes('Settings'));
    let restored = '';
    on['AfterRestore'] = () => (restored = roost.app.get(SettingsService).get().meta.appName);
    expect((await call('POST', 'backups/a.zip/restore')).status).toBe(204);
    await backups.idle();
    expect(seen).toEqual([
      `BeforeBackup by ${ROOT}`,
      `AfterBackup by ${ROOT}`,
      `BeforeRestore by ${ROOT}`,
      `BeforeRestore by ${ROOT}`,
      `AfterRestore by ${ROOT}`,
    ]);
    expect(restored).toBe('Other');
    token = await roost.createSuperuser(ROOT);
  });

  it("EXT-32 an exception of Nest's answers as it is around backups and mails, anything else without a word", async () => {
    const trial = { email: 'ann@example.com', template: 'verification' };
    for (const [hook, url, body] of [
      ['BeforeBackup', 'backups', { name: 'b.zip' }],
      ['BeforeMailSend', 'settings/test/email', trial],
    ] as const) {
      on[hook] = () => {
        throw new ConflictException('Not now.');
      };
      const { status, body: answer } = await call('POST', url, body);
      expect([hook, status, answer]).toEqual([hook, 409, { code: 409, message: 'Not now.', data: {} }]);
      on[hook] = () => {
        throw new Error('a secret');
      };
      const generic = await call('POST', url, body);
      expect([hook, generic.status, generic.text.includes('secret')]).toEqual([hook, 400, false]);
    }
  });

  it('EXT-37 COL-92 truncating a collection says who asked', async () => {
    await call('POST', 'collections', { name: 'notes', type: 'base' });
    await call('POST', 'collections/notes/records', {});
    seen = [];
    expect((await call('DELETE', 'collections/notes/truncate')).status).toBe(204);
    expect(seen).toEqual([`BeforeRecordDelete by ${ROOT}`, `AfterRecordDelete by ${ROOT}`]);
    await call('DELETE', 'collections/notes');
  });

  it('EXT-37 a job can be kept from running, and says who asked', async () => {
    const crons = roost.app.get(CronsService, { strict: false });
    const { id } = crons.list()[0]!;
    expect((await call('POST', `crons/${id}`)).status).toBe(204);
    await crons.idle();
    expect(seen).toEqual([`BeforeCronRun by ${ROOT}`]);
    on['BeforeCronRun'] = refuse;
    expect((await call('POST', `crons/${id}`)).status).toBe(403);
    expect((await call('POST', 'crons/none')).status).toBe(404);
    seen = [];
    roost.clock.freeze();
    await roost.clock.pass(2 * 86_400_000);
    expect(seen).toContain('BeforeCronRun by code');
    token = await roost.createSuperuser(ROOT);
  });

  it('EXT-37 the end of a stream is told, with whom it was for', async () => {
    const port = Number(new URL(await roost.listen()).port);
    const ended = new Promise<string>((resolve) => {
      on['AfterRealtimeDisconnect'] = ({ client }) => {
        resolve(`${String(client.auth?.get('email'))} ${[...client.topics].join()}`);
        throw new Error('Nobody waits for this.');
      };
    });
    const reader = await SseReader.connect({ port, headers: { authorization: token } });
    const { clientId } = JSON.parse(reader.messages[0]!.data) as { clientId: string };
    await call('POST', 'realtime', { clientId, subscriptions: ['news'] });
    expect(seen).not.toContain('AfterRealtimeDisconnect by code');
    reader.socket.destroy();
    expect(await ended).toBe(`${ROOT} news`);
  });
});

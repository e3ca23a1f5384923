import { Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import {
  BadRequestError,
  LogsModule,
  LogsService,
  NotFoundError,
  RealtimeModule,
  RealtimeService,
  RecordsService,
  SettingsModule,
  SettingsService,
  ValidationError,
} from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';
import { SseReader } from '../support/sse-reader.js';

/** What a module of a team might keep: every application name there was, and whom it has greeted. */
@Injectable()
class Watcher implements OnModuleDestroy {
  readonly names: [string, string][] = [];
  private readonly subscription;

  constructor(
    readonly settings: SettingsService,
    readonly realtime: RealtimeService,
    readonly logs: LogsService,
  ) {
    this.subscription = settings.changes.subscribe(({ before, after }) => {
      this.names.push([before.meta.appName, after.meta.appName]);
    });
  }

  onModuleDestroy(): void {
    this.subscription.unsubscribe();
  }
}

@Module({ imports: [SettingsModule, RealtimeModule, LogsModule], providers: [Watcher] })
class WatcherModule {}

describe('services in a module of a team', () => {
  let roost: TestRoost;
  let token: string;
  let watcher: Watcher;
  beforeAll(async () => {
    roost = await startRoost({ imports: [WatcherModule] });
    token = await roost.createSuperuser();
    watcher = roost.app.get(Watcher, { strict: false });
  });
  afterAll(() => roost.close());

  describe('SettingsService.changes', () => {
    beforeEach(() => void watcher.names.splice(0));

    it('EXT-23 tells of every change after it is in force, whoever made it', async () => {
      const seen: string[] = [];
      const stop = watcher.settings.changes.subscribe(() => seen.push(watcher.settings.get().meta.appName));
      await watcher.settings.patch({ meta: { appName: 'One' } });
      const body = { meta: { appName: 'Two' } };
      expect((await roost.inject({ method: 'PATCH', url: '/api/settings', token, body })).status).toBe(200);
      stop.unsubscribe();
      await watcher.settings.patch({ meta: { appName: 'Three' } });
      expect(watcher.names).toEqual([
        [expect.any(String), 'One'],
        ['One', 'Two'],
        ['Two', 'Three'],
      ]);
      expect(seen).toEqual(['One', 'Two']);
    });

    it('EXT-23 tells nothing of a change that was refused or rolled back', async () => {
      const { appName } = watcher.settings.get().meta;
      await expect(watcher.settings.patch({ meta: { appName: '' } })).rejects.toBeInstanceOf(ValidationError);
      const undone = roost.app.get(RecordsService, { strict: false }).transaction(async () => {
        await watcher.settings.patch({ meta: { appName: 'Never' } });
        expect(watcher.names).toEqual([]);
        throw new Error('undo');
      });
      await expect(undone).rejects.toThrow('undo');
      expect(watcher.names).toEqual([]);
      expect(watcher.settings.get().meta.appName).toBe(appName);
    });

    it('EXT-23 tells of every step of a transaction once that is committed', async () => {
      await roost.app.get(RecordsService, { strict: false }).transaction(async () => {
        await watcher.settings.patch({ meta: { appName: 'Inside' } });
        await watcher.settings.revise(({ meta }) => ({ meta: { appName: `${meta.appName} twice` } }));
        await watcher.settings.revise(() => undefined);
      });
      expect(watcher.names.map(([, after]) => after)).toEqual(['Inside', 'Inside twice']);
    });
  });

  describe('RealtimeService.clients', () => {
    it('EXT-23 shows who is connected, as whom and to what, and reaches one of them', async () => {
      await roost.createCollections({ name: 'members', type: 'auth' });
      const records = roost.app.get(RecordsService, { strict: false });
      const ann = await records.create('members', { email: 'ann@example.com', password: 'ann-password' });
      const { port } = new URL(await roost.listen());
      expect(watcher.realtime.clients).toHaveLength(0);
      const [guests, anns] = [
        await SseReader.connect({ port: Number(port) }),
        await SseReader.connect({ port: Number(port) }),
      ];
      try {
        const subscribe = (clientId: string, as?: string) =>
          roost.inject({ url: '/api/realtime', token: as, body: { clientId, subscriptions: ['team/news'] } });
        await subscribe(anns.clientId, await roost.signIn('members', 'ann@example.com'));
        const clients = new Map(watcher.realtime.clients.map((client) => [client.id, client]));
        expect([...clients.keys()].sort()).toEqual([guests.clientId, anns.clientId].sort());
        expect(clients.get(guests.clientId)).toMatchObject({ auth: null, identity: '', ip: '127.0.0.1' });
        expect(clients.get(guests.clientId)!.topics.size).toBe(0);
        const member = clients.get(anns.clientId)!;
        expect(member.auth?.id).toBe(ann.id);
        expect([...member.topics]).toEqual(['team/news']);

        member.send('team/private', { for: 'ann' });
        await subscribe(guests.clientId);
        watcher.realtime.publish('team/news', 'for all');
        expect(await anns.receive(2)).toMatchObject([
          { event: 'team/private', data: '{"for":"ann"}' },
          { event: 'team/news', data: 'for all' },
        ]);
        expect(await guests.receive(1)).toMatchObject([{ event: 'team/news', data: 'for all' }]);

        await records.delete('members', ann.id);
        await expect.poll(() => member.auth).toBeNull();
      } finally {
        guests.close();
        anns.close();
      }
      await expect.poll(() => watcher.realtime.clients.length).toBe(0);
      expect(() => watcher.realtime.publish('@own', 1)).toThrow();
    });
  });

  describe('LogsService', () => {
    const page = { page: 1, perPage: 10, skipTotal: false };
    const entry = (message: string, level = 0, data = {}) => ({ level, message, data });

    it('EXT-23 stores, finds and counts entries beside those of requests', async () => {
      await watcher.logs.deleteAll();
      watcher.logs.add(entry('shop opened', 0, { till: 3 }));
      watcher.logs.add(entry('shop on fire', 8));
      const found = await watcher.logs.find({ page, filter: `message ~ 'shop'`, sort: '-level' });
      expect(found).toMatchObject({ totalItems: 2, page: 1 });
      expect(found.items).toMatchObject([entry('shop on fire', 8), entry('shop opened', 0, { till: 3 })]);
      expect(await watcher.logs.get(found.items[1]!.id)).toEqual(found.items[1]);
      const shown = await roost.inject({ url: `/api/logs/${found.items[1]!.id}`, token });
      expect(shown.body).toEqual(found.items[1]);
      expect(await watcher.logs.countByHour(`data.till = 3`)).toMatchObject([{ total: 1 }]);
      await watcher.logs.deleteAll();
      await expect(watcher.logs.get(found.items[0]!.id)).rejects.toBeInstanceOf(NotFoundError);
    });

    it('EXT-23 keeps what the settings want, and refuses a filter that means nothing', async () => {
      await watcher.settings.patch({ logs: { minLevel: 4 } });
      expect([watcher.logs.accepts(0), watcher.logs.accepts(4)]).toEqual([false, true]);
      watcher.logs.add(entry('whisper', 0));
      watcher.logs.add(entry('shout', 4));
      const { items } = await watcher.logs.find({ page, filter: `message = 'whisper' || message = 'shout'`, sort: '' });
      expect(items.map(({ message }) => message)).toEqual(['shout']);
      const refused = watcher.logs.find({ page, filter: 'nothing = 1', sort: '' });
      await expect(refused).rejects.toBeInstanceOf(BadRequestError);
      await watcher.settings.patch({ logs: { minLevel: 0 } });
    });
  });
});

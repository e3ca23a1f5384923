import { Inject, Injectable, Logger } from '@nestjs/common';
import { Subject, type Observable } from 'rxjs';
import { Database } from '../database/database.js';
import { StoredVersions } from '../database/stored-versions.js';
import { EVENT_BUS, type EventBus } from '../events/event-bus.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import { isJsonObject } from '../kernel/json-object.js';
import type { Caller } from '../kernel/records/caller.js';
import { SettingsChanged } from './settings-changed.event.js';
import { mergeSettings } from './settings-merge.js';
import { checkSettings } from './settings-validator.js';
import { SettingsStore } from './settings-store.js';
import { AfterSettingsUpdate, BeforeSettingsUpdate, type SettingsUpdateEvent } from './settings.hooks.js';
import { DEFAULT_SETTINGS, type Settings } from './settings.js';

/** What superusers set at run time: read from memory, changed as a whole, in force when a change has returned. */
@Injectable()
export class SettingsService {
  private readonly logger = new Logger('Settings');
  private readonly changed = new Subject<SettingsChanged>();
  private current: Settings = DEFAULT_SETTINGS;
  /** The version of the settings that were read last. */
  private version: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly store: SettingsStore,
    private readonly hooks: HookRegistry,
    private readonly versions: StoredVersions,
    @Inject(EVENT_BUS) private readonly events: EventBus,
  ) {
    // Another process may have changed them, for example `superuser ips` (OPS-175).
    database.changes.onForeignDefinitions(() => this.reload());
  }

  /** The settings in force. */
  get(): Settings {
    return this.current;
  }

  /** Every change after it is committed, whoever made it. */
  get changes(): Observable<SettingsChanged> {
    return this.changed.asObservable();
  }

  /** Reads the stored settings, at start and when another process wrote. Stores the defaults when there are none. */
  async load(): Promise<void> {
    if (!(await this.store.exists())) await this.storeDefaults();
    this.version = await this.versions.of('_params');
    this.current = await this.store.read();
  }

  /** Throws a StartError for stored settings, of another database, that this process could not read. */
  requireReadable(stored: string): void {
    this.store.requireReadable(stored);
  }

  /**
   * Lays the supplied part over the settings, validates the whole and stores it (OPS-3 to OPS-6).
   * Throws a ValidationError that names every wrong value; then nothing has changed. `caller` is for hooks: who asked.
   */
  patch(change: Readonly<Record<string, unknown>>, caller: Caller | null = null): Promise<Settings> {
    return this.revise(() => change, caller);
  }

  /**
   * As `patch`, with a change that depends on what is stored: inside a transaction that has changed settings before,
   * `get` does not show them yet. Without a change nothing happens.
   */
  async revise(
    change: (stored: Settings) => Readonly<Record<string, unknown>> | undefined,
    caller: Caller | null = null,
  ): Promise<Settings> {
    return this.database.transaction(async () => {
      // Locked, so that a concurrent change is not overwritten.
      await this.database.lock('settings');
      const before = await this.store.read();
      const supplied = change(before);
      if (!supplied) return before;
      const proposed = checkSettings(mergeSettings(before, supplied));
      const event: SettingsUpdateEvent = { before, after: proposed, caller };
      await this.hooks.run(BeforeSettingsUpdate, event);
      // What a hook makes of them has to be settings as well: no request is answered without.
      const isFinal = !this.hooks.has(BeforeSettingsUpdate);
      const after = isFinal ? proposed : checkSettings(mergeSettings(proposed, event.after));
      await this.replace(before, after, caller);
      return after;
    });
  }

  /** OPS-9. Of several processes that start at once on an empty database, one does it (SCALE-24). */
  private storeDefaults(): Promise<void> {
    return this.database.transaction(async () => {
      await this.database.lock('settings');
      if (!(await this.store.exists())) await this.store.write(DEFAULT_SETTINGS);
    });
  }

  private async replace(before: Settings, after: Settings, caller: Caller | null): Promise<void> {
    await this.store.write(after);
    this.database.afterCommit(async () => {
      this.apply(before, after);
      await this.hooks.runAfter(AfterSettingsUpdate, { before, after, caller });
    });
  }

  private apply(before: Settings, after: Settings, isElsewhere = false): void {
    this.current = after;
    const paths = changedPaths(before, after);
    if (paths.length > 0) this.logger.log(`Settings changed: ${paths.join(', ')}`);
    const event = new SettingsChanged(before, after, isElsewhere);
    this.changed.next(event);
    this.events.publish(event);
  }

  private async reload(): Promise<void> {
    for (;;) {
      const before = this.current;
      const version = await this.versions.of('_params');
      if (version === this.version) return;
      const after = await this.store.read();
      // A change of this process has been committed meanwhile, which may be newer than what was read.
      if (this.current !== before) continue;
      this.version = version;
      if (changedPaths(before, after).length > 0) this.apply(before, after, this.database.hasPeers);
      return;
    }
  }
}

/** Paths of the values that differ, for the log; never the values, some are secret. */
function changedPaths(before: object, after: object, prefix = ''): string[] {
  return Object.entries(after).flatMap(([key, value]: [string, unknown]) => {
    const old = (before as Record<string, unknown>)[key];
    if (isJsonObject(value)) {
      return changedPaths((old ?? {}) as object, value, `${prefix}${key}.`);
    }
    return JSON.stringify(old) === JSON.stringify(value) ? [] : [`${prefix}${key}`];
  });
}

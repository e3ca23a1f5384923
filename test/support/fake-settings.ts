import { Subject } from 'rxjs';
import { SettingsChanged } from '../../src/settings/settings-changed.event.js';
import type { SettingsService } from '../../src/settings/settings.service.js';
import { DEFAULT_SETTINGS, type Settings } from '../../src/settings/settings.js';

/** Settings without a database: what a test sets is in force at once. */
export class FakeSettings {
  readonly changes = new Subject<SettingsChanged>();
  private current: Settings = DEFAULT_SETTINGS;

  get(): Settings {
    return this.current;
  }

  /** Replaces whole sections. */
  set(sections: Partial<Settings>): void {
    const before = this.current;
    this.current = { ...before, ...sections };
    this.changes.next(new SettingsChanged(before, this.current));
  }

  asService(): SettingsService {
    return this as unknown as SettingsService;
  }
}

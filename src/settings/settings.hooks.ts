import { createHook } from '../hooks/create-hook.js';
import type { Caller } from '../kernel/records/caller.js';
import type { Settings } from './settings.js';

/** The settings are about to be stored. `after` may be replaced; a throw refuses the change. */
export interface SettingsUpdateEvent {
  readonly before: Settings;
  after: Settings;
  /** Who asked for it; null for code and commands. */
  readonly caller: Caller | null;
}

/** Settings were changed, and that is committed. */
export interface SettingsUpdatedEvent {
  readonly before: Settings;
  readonly after: Settings;
  readonly caller: Caller | null;
}

/** Inside the transaction, before changed settings are stored. A throw refuses the change. */
export const BeforeSettingsUpdate = createHook<SettingsUpdateEvent>('BeforeSettingsUpdate');
/** After changed settings are committed and in force. A throw is logged and changes nothing. */
export const AfterSettingsUpdate = createHook<SettingsUpdatedEvent>('AfterSettingsUpdate');

import { createHook } from '../hooks/create-hook.js';
import type { Settings } from './settings.js';

/** The settings are about to be stored. `after` may be replaced; a throw refuses the change. */
export interface SettingsUpdateEvent {
  readonly before: Settings;
  after: Settings;
}

export interface SettingsUpdatedEvent {
  readonly before: Settings;
  readonly after: Settings;
}

export const BeforeSettingsUpdate = createHook<SettingsUpdateEvent>('BeforeSettingsUpdate');
export const AfterSettingsUpdate = createHook<SettingsUpdatedEvent>('AfterSettingsUpdate');

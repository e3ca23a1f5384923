import type { Settings } from './settings.js';

/** The settings in force have changed; told after commit. */
export class SettingsChanged {
  constructor(
    readonly before: Settings,
    readonly after: Settings,
  ) {}
}

import type { Settings } from './settings.js';

/** The settings in force have changed; told after commit. */
export class SettingsChanged {
  constructor(
    readonly before: Settings,
    readonly after: Settings,
    /** Another process that serves the same data has changed them, and has done what is done once for all. */
    readonly isElsewhere = false,
  ) {}
}

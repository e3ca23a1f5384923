import type { Settings } from './settings.js';

/** The settings have changed; published after commit. */
export class SettingsChanged {
  constructor(
    readonly before: Settings,
    readonly after: Settings,
    /** Another process has changed them, and has done what has to be done once. */
    readonly isElsewhere = false,
  ) {}
}

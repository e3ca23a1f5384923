import { createHook } from '../hooks/create-hook.js';

/** A backup is about to be made; a throw refuses it. */
export interface BackupEvent {
  /** The name it will be stored under. */
  readonly key: string;
}

/** A backup is complete and stored. */
export interface BackupMadeEvent {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
}

/** Before a backup is made, by hand or by schedule. A throw refuses it. */
export const BeforeBackup = createHook<BackupEvent>('BeforeBackup');
/** After a backup is complete and stored. A throw is logged and changes nothing. */
export const AfterBackup = createHook<BackupMadeEvent>('AfterBackup');

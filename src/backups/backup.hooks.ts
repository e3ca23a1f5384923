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

export const BeforeBackup = createHook<BackupEvent>('BeforeBackup');
export const AfterBackup = createHook<BackupMadeEvent>('AfterBackup');

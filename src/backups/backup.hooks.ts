import { createHook } from '../hooks/create-hook.js';
import type { Caller } from '../kernel/records/caller.js';

/** A backup is about to be made; a throw refuses it. */
export interface BackupEvent {
  /** The name it will be stored under. */
  readonly key: string;
  /** Who asked for it; null for the schedule, code and commands. */
  readonly caller: Caller | null;
}

/** A backup is complete and stored. */
export interface BackupMadeEvent extends BackupEvent {
  /** Bytes. */
  readonly size: number;
}

/** A backup is about to take the place of the present data, or has done so. */
export interface RestoreEvent {
  /** The backup, or the name of an archive that a command restores. */
  readonly key: string;
  /** Who asked for it, an account of the data as they were; null for code and commands. */
  readonly caller: Caller | null;
}

/** Before a backup is made, by hand or by schedule. A throw refuses it. */
export const BeforeBackup = createHook<BackupEvent>('BeforeBackup');
/** After a backup is complete and stored. A throw is logged and changes nothing. */
export const AfterBackup = createHook<BackupMadeEvent>('AfterBackup');
/** Before a backup is restored, once a first look found it sound. A throw refuses it. */
export const BeforeRestore = createHook<RestoreEvent>('BeforeRestore');
/** After the data of a backup are in force. A throw is logged and changes nothing. */
export const AfterRestore = createHook<RestoreEvent>('AfterRestore');

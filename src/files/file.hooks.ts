import { createHook } from '../hooks/create-hook.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';

/** A file is about to be sent to somebody who may have it. A throw refuses it. */
export interface FileDownloadEvent {
  readonly collection: Collection;
  readonly record: RecordModel;
  readonly field: FieldDefinition;
  readonly caller: Caller;
  /** Why the original is sent instead of the thumbnail that was asked for; null when nothing went wrong. */
  readonly thumbError: Error | null;
  /** The storage key of what is sent. Another key sends another file. */
  key: string;
  /** The name it is sent under. */
  name: string;
  /** Response headers that are set besides, or instead of, the usual ones; lower-case names. */
  readonly headers: Record<string, string>;
}

/** Somebody gets a file token. Another token may take its place; a throw refuses it. */
export interface FileTokenEvent {
  /** The account the token is for. */
  readonly record: RecordModel;
  token: string;
}

/** Before a file is sent, after the view rule and the token passed. A throw refuses the download. */
export const BeforeFileDownload = createHook<FileDownloadEvent>('BeforeFileDownload');
/** Before a file token is issued. A throw refuses it. */
export const BeforeFileToken = createHook<FileTokenEvent>('BeforeFileToken');

import { ApiProperty } from '../http/dto/api-decorators.js';
import { FREE_OBJECT } from '../http/dto/schema.js';

/** Severities with a name (OPS-81). Other integers are allowed. */
export const LOG_LEVELS = { debug: -4, info: 0, warn: 4, error: 8 } as const;

/**
 * Something worth remembering. `data` must be safe to store: nothing in it may be a secret. Both texts are read once,
 * when the entry is written, so they may be getters.
 */
export interface NewLogEntry {
  readonly level: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An entry that is not stored yet. */
export interface WaitingEntry {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly entry: NewLogEntry;
}

/** A stored entry as it is answered (OPS-90). */
export class LogEntry implements NewLogEntry {
  @ApiProperty()
  readonly id: string;

  @ApiProperty()
  readonly created: string;

  @ApiProperty({ type: 'integer' })
  readonly level: number;

  @ApiProperty()
  readonly message: string;

  @ApiProperty(FREE_OBJECT)
  readonly data: Readonly<Record<string, unknown>>;
}

/** How many entries an hour has; `date` is its beginning. */
export class LogHour {
  @ApiProperty({ type: 'integer' })
  readonly total: number;

  @ApiProperty()
  readonly date: string;
}

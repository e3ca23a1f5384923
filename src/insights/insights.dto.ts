import { ApiProperty } from '../http/dto/api-decorators.js';

export class MinuteInsight {
  @ApiProperty()
  readonly time: string;

  @ApiProperty({ type: 'integer' })
  readonly requests: number;

  @ApiProperty({ type: 'integer' })
  readonly errors: number;
}

/** Milliseconds. */
export class RouteInsight {
  @ApiProperty()
  readonly route: string;

  @ApiProperty({ type: 'integer' })
  readonly requests: number;

  @ApiProperty({ type: 'integer' })
  readonly errors: number;

  @ApiProperty()
  readonly average: number;

  @ApiProperty()
  readonly p95: number;

  @ApiProperty()
  readonly slowest: number;
}

/** Milliseconds; the text has no values in it. */
export class StatementInsight {
  @ApiProperty()
  readonly sql: string;

  @ApiProperty({ type: 'integer' })
  readonly runs: number;

  @ApiProperty()
  readonly average: number;

  @ApiProperty()
  readonly slowest: number;
}

export class CollectionSize {
  @ApiProperty()
  readonly id: string;

  @ApiProperty()
  readonly name: string;

  /** Null where there was no time to count them. */
  @ApiProperty({ type: 'integer', nullable: true })
  readonly records: number | null;

  /** With its indexes; null where the database does not tell, as SQLite. */
  @ApiProperty({ type: 'integer', nullable: true })
  readonly bytes: number | null;
}

export class FilesSize {
  @ApiProperty({ type: 'integer' })
  readonly count: number;

  @ApiProperty({ type: 'integer' })
  readonly bytes: number;

  /** False where there are more. */
  @ApiProperty()
  readonly isAll: boolean;
}

export class InsightSizes {
  @ApiProperty({ type: [CollectionSize] })
  readonly collections: readonly CollectionSize[];

  /** Null where the storage does not answer. */
  @ApiProperty({ type: FilesSize, nullable: true })
  readonly files: FilesSize | null;

  /** Bytes; null where nobody knows. */
  @ApiProperty({ type: 'integer', nullable: true })
  readonly database: number | null;

  @ApiProperty({ type: 'integer', nullable: true })
  readonly logs: number | null;
}

export class Percentiles {
  @ApiProperty({ nullable: true, type: Number })
  readonly p50: number | null;

  @ApiProperty({ nullable: true, type: Number })
  readonly p95: number | null;

  @ApiProperty({ nullable: true, type: Number })
  readonly p99: number | null;
}

export const ADVICE_KINDS = ['missingIndex', 'publicRule', 'backup', 'logs'] as const;

export class Advice {
  @ApiProperty({ enum: ADVICE_KINDS })
  readonly kind: (typeof ADVICE_KINDS)[number];

  @ApiProperty()
  readonly message: string;

  /** The name of the collection it is about; '' for none. */
  @ApiProperty()
  readonly collection: string;
}

/** Figures about this process. */
export class Insights {
  /** When it began to count. */
  @ApiProperty()
  readonly since: string;

  @ApiProperty({ type: [MinuteInsight] })
  readonly minutes: readonly MinuteInsight[];

  @ApiProperty()
  readonly latency: Percentiles;

  @ApiProperty({ type: [RouteInsight] })
  readonly routes: readonly RouteInsight[];

  @ApiProperty({ type: [StatementInsight] })
  readonly statements: readonly StatementInsight[];

  @ApiProperty()
  readonly sizes: InsightSizes;

  @ApiProperty({ type: 'integer' })
  readonly streams: number;

  @ApiProperty({ type: [Advice] })
  readonly advice: readonly Advice[];
}

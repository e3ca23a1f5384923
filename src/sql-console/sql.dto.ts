import type { ScriptResult } from '../database/dialect.js';
import { ApiProperty } from '../http/dto/api-decorators.js';
import { HasMaxLength, IsRequired, IsText } from '../http/dto/validators.js';

/** What a superuser typed (OPS-147). */
export class SqlDto {
  @ApiProperty()
  @IsText({ message: 'The query must be a text.' })
  @IsRequired()
  @HasMaxLength(5_000)
  readonly query: string = '';
}

class SqlColumn {
  @ApiProperty()
  readonly name: string;

  @ApiProperty()
  readonly type: string;

  @ApiProperty()
  readonly nullable: boolean;
}

/** What a query gave; every value is a text, as the database prints it, or null. */
export class SqlAnswer {
  /** Milliseconds. */
  @ApiProperty({ type: 'integer' })
  readonly execTime: number;

  @ApiProperty({ type: 'integer' })
  readonly affectedRows: number;

  @ApiProperty({ type: [SqlColumn] })
  readonly columns: ScriptResult['columns'];

  @ApiProperty({ type: 'array', items: { type: 'array', items: { type: 'string', nullable: true } } })
  readonly rows: readonly (readonly (string | null)[])[];
}

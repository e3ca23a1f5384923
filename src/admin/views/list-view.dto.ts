import { ApiProperty, ApiPropertyOptional } from '../../http/dto/api-decorators.js';
import { FREE_OBJECT } from '../../http/dto/schema.js';
import { Fulfils, HasMaxLength, IsFlag, IsJsonObject, IsRequired, IsText } from '../../http/dto/validators.js';
import { maxLength } from '../../kernel/validation/rules.js';

const COLUMNS = { schema: FREE_OBJECT, description: 'What the admin UI knows of the columns.' } as object;

/** A filter with a sort and columns, to be kept under a name (UI-73). */
export class ListViewDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  @HasMaxLength(100)
  readonly name: string = '';

  @ApiPropertyOptional()
  @IsText()
  @HasMaxLength(3500)
  readonly filter: string = '';

  @ApiPropertyOptional()
  @IsText()
  @HasMaxLength(1000)
  readonly sort: string = '';

  @ApiPropertyOptional(COLUMNS)
  @IsJsonObject()
  @Fulfils('isShort', (columns) => maxLength(20_000)(JSON.stringify(columns)))
  readonly columns: Readonly<Record<string, unknown>> = {};

  /** For all superusers; else for oneself. */
  @ApiPropertyOptional()
  @IsFlag()
  readonly shared: boolean = false;
}

/** A view as it is kept. */
export class ListView {
  @ApiProperty()
  readonly id: string;

  @ApiProperty()
  readonly name: string;

  @ApiProperty()
  readonly filter: string;

  @ApiProperty()
  readonly sort: string;

  @ApiProperty(COLUMNS)
  readonly columns: Readonly<Record<string, unknown>>;

  @ApiProperty()
  readonly shared: boolean;
}

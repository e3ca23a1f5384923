import { ApiProperty } from '../http/dto/api-decorators.js';
import { HasMaxLength, IsRequired, IsText } from '../http/dto/validators.js';

/** A statement to be kept under a name. */
export class SqlSnippetDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  @HasMaxLength(100)
  readonly name: string = '';

  @ApiProperty()
  @IsText()
  @IsRequired()
  @HasMaxLength(5_000)
  readonly query: string = '';
}

/** A statement as it is kept. */
export class SqlSnippet {
  @ApiProperty()
  readonly name: string;

  @ApiProperty()
  readonly query: string;
}

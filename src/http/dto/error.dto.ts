import { ApiProperty, ApiPropertyOptional, ApiSchema } from './api-decorators.js';
import { FREE_OBJECT } from './schema.js';

/** The body of every answer that is an error (OPS-36). */
@ApiSchema({ name: 'Error' })
export class ErrorDto {
  @ApiProperty({ type: 'integer' })
  readonly code: number;

  @ApiProperty()
  readonly message: string;

  @ApiProperty({ ...FREE_OBJECT, description: 'What is wrong, by the name of the value.' })
  readonly data: Readonly<Record<string, unknown>>;
}

/** What is wrong with one value, wherever `data` of an error names it. */
@ApiSchema({ name: 'FieldError' })
export class FieldErrorDto {
  @ApiProperty()
  readonly code: string;

  @ApiProperty()
  readonly message: string;

  @ApiPropertyOptional(FREE_OBJECT)
  readonly params?: Readonly<Record<string, unknown>>;
}

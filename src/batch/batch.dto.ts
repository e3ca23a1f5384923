import { ApiProperty, ApiPropertyOptional } from '../http/dto/api-decorators.js';
import { FREE_OBJECT } from '../http/dto/schema.js';
import { HasMaxLength, IsJsonObject, IsList, IsOneOf, IsRequired, IsText, IsTexts } from '../http/dto/validators.js';

const METHODS = ['POST', 'PATCH', 'PUT', 'DELETE'] as const;

/** One request of a batch, in the shape the body had (BAT-4). */
export class BatchRequest {
  @ApiProperty({ enum: METHODS })
  @IsRequired()
  @IsOneOf(...METHODS)
  readonly method: string = '';

  @ApiProperty()
  @IsText()
  @IsRequired()
  @HasMaxLength(2000)
  readonly url: string = '';

  @ApiPropertyOptional(FREE_OBJECT)
  @IsTexts()
  readonly headers: Readonly<Record<string, string>> = {};

  @ApiPropertyOptional(FREE_OBJECT)
  @IsJsonObject()
  readonly body: Readonly<Record<string, unknown>> = {};
}

/** A batch. How many requests it may have is a setting, and asked before they are looked at: there may be millions. */
export class BatchDto {
  @ApiProperty({ type: [BatchRequest] })
  @IsList()
  @IsRequired()
  readonly requests: readonly unknown[] = [];
}

/** What one request of a batch answers. */
export class BatchResult {
  @ApiProperty({ type: 'integer' })
  readonly status: number;

  @ApiProperty({ ...FREE_OBJECT, nullable: true })
  readonly body: Readonly<Record<string, unknown>> | null;
}

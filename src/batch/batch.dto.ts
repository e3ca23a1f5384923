import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError } from '../kernel/errors/field-error.js';
import { isJsonObject } from '../kernel/json-object.js';
import { ApiProperty, ApiPropertyOptional } from '../http/dto/api-decorators.js';
import { FREE_OBJECT } from '../http/dto/schema.js';
import {
  Fulfils,
  HasMaxLength,
  IsJsonObject,
  IsList,
  IsOneOf,
  IsRequired,
  IsText,
  IsTexts,
} from '../http/dto/validators.js';

const METHODS = ['POST', 'PATCH', 'PUT', 'DELETE'] as const;

/** Characters of an item's headers, their names included: as many as a request may have. */
const MAX_HEADERS = 16 * 1024;

/** Whether they are texts of an object is asked besides; what is not may be long, and is not gone through. */
function requestHeaders(headers: unknown): FieldError | undefined {
  if (!isJsonObject(headers)) return undefined;
  let length = 0;
  for (const [name, text] of Object.entries(headers)) {
    length += name.length + (typeof text === 'string' ? text.length : 0);
    if (length > MAX_HEADERS) return fieldError('validation_length_too_long', { max: MAX_HEADERS });
  }
  return undefined;
}

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
  @Fulfils('areHeaders', requestHeaders)
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

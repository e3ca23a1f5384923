import { ApiProperty } from '../http/dto/api-decorators.js';
import { FREE_OBJECT } from '../http/dto/schema.js';

/** The answer of `GET /api/health`. */
export class Health {
  @ApiProperty({ type: 'integer' })
  readonly code: number;

  @ApiProperty()
  readonly message: string;

  /** Superusers are told a little. */
  @ApiProperty(FREE_OBJECT)
  readonly data: Readonly<Record<string, unknown>>;
}

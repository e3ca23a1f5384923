import { ApiPropertyOptional } from '../http/dto/api-decorators.js';
import { IsAtLeast, IsWholeNumber } from '../http/dto/validators.js';

/** For how long somebody else's token is wanted (AUTH-841). */
export class ImpersonateDto {
  /** Seconds; 0 for the collection's own duration. */
  @ApiPropertyOptional({ type: 'integer' })
  @IsWholeNumber()
  @IsAtLeast(0)
  readonly duration: number = 0;
}

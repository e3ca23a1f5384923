import { ApiPropertyOptional } from '../../http/dto/api-decorators.js';
import { IsText } from '../../http/dto/validators.js';

/** What every sign-in may say besides: which challenge for a second method it answers. */
export class MfaDto {
  @ApiPropertyOptional()
  @IsText()
  readonly mfaId: string = '';
}

import { ApiProperty } from '../../http/dto/api-decorators.js';
import { IsRequired, IsText } from '../../http/dto/validators.js';

/** The token of the mail. */
export class VerificationDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  readonly token: string = '';
}

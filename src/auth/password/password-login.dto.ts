import { ApiProperty, ApiPropertyOptional } from '../../http/dto/api-decorators.js';
import { HasBytes, IsRequired, IsText } from '../../http/dto/validators.js';
import { MfaDto } from '../mfa/mfa.dto.js';

/** What somebody typed (AUTH-811). */
export class PasswordLoginDto extends MfaDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  @HasBytes(1, 255)
  readonly identity: string = '';

  @ApiProperty({ format: 'password' })
  @IsText()
  @IsRequired()
  @HasBytes(1, 255)
  readonly password: string = '';

  /** The one field to look in, '' for all identity fields of the collection. */
  @ApiPropertyOptional()
  @IsText()
  readonly identityField: string = '';
}

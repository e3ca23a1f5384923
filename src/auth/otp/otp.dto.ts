import { ApiProperty } from '../../http/dto/api-decorators.js';
import { HasBytes, IsRequired, IsText } from '../../http/dto/validators.js';
import { MfaDto } from '../mfa/mfa.dto.js';

/** What somebody typed who was mailed a code (AUTH-834). */
export class OtpLoginDto extends MfaDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  @HasBytes(1, 255)
  readonly otpId: string = '';

  @ApiProperty({ format: 'password' })
  @IsText()
  @IsRequired()
  @HasBytes(1, 71)
  readonly password: string = '';
}

/** Which request for a code the code will belong to. */
export class RequestedOtp {
  @ApiProperty()
  readonly otpId: string;
}

import { ApiProperty, ApiPropertyOptional } from '../../http/dto/api-decorators.js';
import { HasMaxLength, IsJsonObject, IsRequired, IsText } from '../../http/dto/validators.js';
import { MfaDto } from '../mfa/mfa.dto.js';

/** What a client brings back from a provider, and what a new account is to have besides (AUTH-901). */
export class OAuth2LoginDto extends MfaDto {
  /** Name of a configured provider. */
  @ApiProperty()
  @IsText()
  @IsRequired()
  @HasMaxLength(100)
  readonly provider: string = '';

  @ApiProperty()
  @IsText()
  @IsRequired()
  readonly code: string = '';

  @ApiProperty()
  @IsText()
  readonly codeVerifier: string = '';

  @ApiProperty()
  @IsText()
  readonly redirectURL: string = '';

  /** What old clients send instead. */
  @ApiPropertyOptional({ deprecated: true })
  @IsText()
  readonly redirectUrl: string = '';

  /** Values of a new record. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true })
  @IsJsonObject()
  readonly createData: Readonly<Record<string, unknown>> = {};
}

import { ApiProperty, ApiPropertyOptional } from '../../http/dto/api-decorators.js';
import { IsEmailAddress, IsOneOf, IsRequired, IsText } from '../../http/dto/validators.js';

/** The templates of an auth collection. */
export const TEMPLATES = ['verification', 'password-reset', 'email-change', 'otp', 'login-alert'] as const;

/** Which template to try out, and who gets it (AUTH-1306). */
export class TestEmailDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  @IsEmailAddress()
  readonly email: string = '';

  @ApiProperty({ enum: TEMPLATES })
  @IsText()
  @IsRequired()
  @IsOneOf(...TEMPLATES)
  readonly template: string = '';

  /** Name or id of an auth collection; '' for the superusers. */
  @ApiPropertyOptional()
  @IsText()
  readonly collection: string = '';
}

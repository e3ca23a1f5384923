import { ApiProperty } from '../../http/dto/api-decorators.js';
import { IsEqualTo, IsRequired, IsText } from '../../http/dto/validators.js';

/**
 * A new password and the token of the mail that allows it. How long the password has to be depends on the collection.
 */
export class PasswordResetDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  readonly token: string = '';

  @ApiProperty({ format: 'password' })
  @IsText()
  @IsRequired()
  readonly password: string = '';

  @ApiProperty({ format: 'password' })
  @IsText()
  @IsRequired()
  @IsEqualTo<PasswordResetDto>('password')
  readonly passwordConfirm: string = '';
}

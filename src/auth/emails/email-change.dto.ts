import { ApiProperty } from '../../http/dto/api-decorators.js';
import { HasBytes, IsEmailAddress, IsRequired, IsText } from '../../http/dto/validators.js';

/** The address an account is to have from now on. */
export class NewEmailDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  @HasBytes(1, 255)
  @IsEmailAddress()
  readonly newEmail: string = '';
}

/** The token of the mail, and the password that proves that it is the owner who confirms. */
export class EmailChangeDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  readonly token: string = '';

  @ApiProperty({ format: 'password' })
  @IsText()
  @IsRequired()
  @HasBytes(1, 100)
  readonly password: string = '';
}

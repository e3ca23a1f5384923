import { ApiProperty } from '../../http/dto/api-decorators.js';
import { IsEmailAddress, IsEqualTo, IsRequired, IsText } from '../../http/dto/validators.js';

/** Whether the first superuser is still to be made, which takes the printed token (AUTH-1207, AUTH-1208). */
export class SetupStatus {
  @ApiProperty()
  readonly required: boolean;

  @ApiProperty()
  readonly tokenRequired: boolean;
}

/** What makes the first superuser (AUTH-1206). */
export class SetupDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  @IsEmailAddress()
  readonly email: string = '';

  @ApiProperty({ format: 'password' })
  @IsText()
  @IsRequired()
  readonly password: string = '';

  @ApiProperty({ format: 'password' })
  @IsText()
  @IsRequired()
  @IsEqualTo<SetupDto>('password')
  readonly passwordConfirm: string = '';

  @ApiProperty()
  @IsText()
  @IsRequired()
  readonly token: string = '';
}

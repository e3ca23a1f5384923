import { ApiProperty } from '../http/dto/api-decorators.js';
import { HasBytes, IsEmailAddress, IsRequired, IsText } from '../http/dto/validators.js';

/** To whom something is to be mailed (AUTH-831, AUTH-1101). */
export class EmailDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  @HasBytes(1, 255)
  @IsEmailAddress()
  readonly email: string = '';
}

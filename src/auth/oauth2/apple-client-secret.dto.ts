import { ApiProperty } from '../../http/dto/api-decorators.js';
import {
  HasExactLength,
  HasPattern,
  IsAtLeast,
  IsAtMost,
  IsRequired,
  IsText,
  IsWholeNumber,
} from '../../http/dto/validators.js';

const PRIVATE_KEY = /^\s*-----BEGIN PRIVATE KEY-----[\s\S]+-----END PRIVATE KEY-----\s*$/;
const SIX_MONTHS = 15_777_000;

/** What an Apple client secret is made of (AUTH-1009). */
export class AppleClientSecretDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  readonly clientId: string = '';

  @ApiProperty()
  @IsText()
  @IsRequired()
  @HasExactLength(10)
  readonly teamId: string = '';

  @ApiProperty()
  @IsText()
  @IsRequired()
  @HasExactLength(10)
  readonly keyId: string = '';

  /** A PEM block `PRIVATE KEY` with a key on the curve P-256. */
  @ApiProperty({ format: 'password' })
  @IsText()
  @IsRequired()
  @HasPattern(PRIVATE_KEY)
  readonly privateKey: string = '';

  /** Seconds. */
  @ApiProperty({ type: 'integer' })
  @IsWholeNumber()
  @IsRequired()
  @IsAtLeast(1)
  @IsAtMost(SIX_MONTHS)
  readonly duration: number = 0;
}

export class AppleClientSecret {
  @ApiProperty()
  readonly secret: string;
}

import { ApiProperty, ApiPropertyOptional } from '../http/dto/api-decorators.js';
import type { OAuth2Invitation } from './oauth2/oauth2-client.js';

class PasswordMethod {
  @ApiProperty()
  readonly enabled: boolean;

  @ApiProperty({ type: [String] })
  readonly identityFields: readonly string[];
}

class TimedMethod {
  @ApiProperty()
  readonly enabled: boolean;

  /** Seconds. */
  @ApiProperty({ type: 'integer' })
  readonly duration: number;
}

/** Where to send somebody who wants to sign in with a provider, and what to bring back. */
class AuthProvider implements OAuth2Invitation {
  @ApiProperty()
  readonly name: string;

  @ApiProperty()
  readonly displayName: string;

  @ApiProperty({ description: 'An SVG image, or nothing.' })
  readonly logo: string;

  @ApiProperty()
  readonly state: string;

  @ApiProperty()
  readonly authURL: string;

  @ApiProperty({ deprecated: true })
  readonly authUrl: string;

  @ApiProperty()
  readonly codeVerifier: string;

  @ApiProperty()
  readonly codeChallenge: string;

  @ApiProperty()
  readonly codeChallengeMethod: string;
}

class OAuth2Method {
  @ApiProperty()
  readonly enabled: boolean;

  @ApiProperty({ type: [AuthProvider] })
  readonly providers: readonly AuthProvider[];
}

class CustomMethod {
  @ApiProperty()
  readonly name: string;

  @ApiProperty()
  readonly displayName: string;
}

/** How people can sign in to a collection (AUTH-801). What is deprecated is there for old clients. */
export class AuthMethods {
  @ApiProperty()
  readonly password: PasswordMethod;

  @ApiProperty()
  readonly oauth2: OAuth2Method;

  @ApiProperty()
  readonly mfa: TimedMethod;

  @ApiProperty()
  readonly otp: TimedMethod;

  /** The ways that modules add; left out where there are none. */
  @ApiPropertyOptional({ type: [CustomMethod] })
  readonly custom?: readonly CustomMethod[];

  @ApiProperty({ type: [AuthProvider], deprecated: true })
  readonly authProviders: readonly AuthProvider[];

  @ApiProperty({ deprecated: true })
  readonly usernamePassword: boolean;

  @ApiProperty({ deprecated: true })
  readonly emailPassword: boolean;
}

import { IsText } from '../../http/dto/validators.js';

/** What a provider posts, and only that: the page is no part of the API's description. */
export class OAuth2RedirectDto {
  /** The id of the realtime client that began the sign-in. */
  @IsText()
  readonly state: string = '';

  @IsText()
  readonly code: string = '';

  @IsText()
  readonly error: string = '';
}

import type { JsonObject } from '../../../kernel/json-object.js';
import { textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';
import { logoOf } from '../provider-logo.js';

/** VK, which hands the address over with the access token. */
export const vk: OAuth2Provider = {
  name: 'vk',
  displayName: 'VK',
  order: 15,
  pkce: false,
  scopes: ['email'],
  authURL: 'https://oauth.vk.com/authorize',
  tokenURL: 'https://oauth.vk.com/access_token',
  userInfoURL: 'https://api.vk.com/method/users.get?fields=photo_max,screen_name&v=5.131',
  toUser: (info, session) => ({
    id: textAt(info, 'response.0.id'),
    name: fullName(info),
    username: textAt(info, 'response.0.screen_name'),
    avatarURL: textAt(info, 'response.0.photo_max'),
    email: textAt(session.tokens.raw, 'email'),
  }),
  logo: logoOf(
    'm9.489.004.729-.003h3.564l.73.003.914.01.433.007.418.011.403.014.388.016.374.021.36.025.345.03.333.033c1.74.196 2.933.616 3.833 1.516.9.9 1.32 2.092 1.516 3.833l.034.333.029.346.025.36.02.373.025.588.012.41.013.644.009.915.004.98-.001 3.313-.003.73-.01.914-.007.433-.011.418-.014.403-.016.388-.021.374-.025.36-.03.345-.033.333c-.196 1.74-.616 2.933-1.516 3.833-.9.9-2.092 1.32-3.833 1.516l-.333.034-.346.029-.36.025-.373.02-.588.025-.41.012-.644.013-.915.009-.98.004-3.313-.001-.73-.003-.914-.01-.433-.007-.418-.011-.403-.014-.388-.016-.374-.021-.36-.025-.345-.03-.333-.033c-1.74-.196-2.933-.616-3.833-1.516-.9-.9-1.32-2.092-1.516-3.833l-.034-.333-.029-.346-.025-.36-.02-.373-.025-.588-.012-.41-.013-.644-.009-.915-.004-.98.001-3.313.003-.73.01-.914.007-.433.011-.418.014-.403.016-.388.021-.374.025-.36.03-.345.033-.333c.196-1.74.616-2.933 1.516-3.833.9-.9 2.092-1.32 3.833-1.516l.333-.034.346-.029.36-.025.373-.02.588-.025.41-.012.644-.013.915-.009ZM6.79 7.3H4.05c.13 6.24 3.25 9.99 8.72 9.99h.31v-3.57c2.01.2 3.53 1.67 4.14 3.57h2.84c-.78-2.84-2.83-4.41-4.11-5.01 1.28-.74 3.08-2.54 3.51-4.98h-2.58c-.56 1.98-2.22 3.78-3.8 3.95V7.3H10.5v6.92c-1.6-.4-3.62-2.34-3.71-6.92Z',
  ),
};

function fullName(info: JsonObject): string {
  return `${textAt(info, 'response.0.first_name')} ${textAt(info, 'response.0.last_name')}`.trim();
}

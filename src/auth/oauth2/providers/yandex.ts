import { isTrueAt, textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';

/** Yandex. */
export const yandex: OAuth2Provider = {
  name: 'yandex',
  displayName: 'Yandex',
  order: 4,
  pkce: true,
  scopes: ['login:email', 'login:avatar', 'login:info'],
  authURL: 'https://oauth.yandex.com/authorize',
  tokenURL: 'https://oauth.yandex.com/token',
  userInfoURL: 'https://login.yandex.ru/info',
  toUser: (info) => {
    const avatar = isTrueAt(info, 'is_avatar_empty') ? '' : textAt(info, 'default_avatar_id');
    return {
      id: textAt(info, 'id'),
      name: textAt(info, 'real_name'),
      username: textAt(info, 'login'),
      avatarURL: avatar && `https://avatars.yandex.net/get-yapic/${avatar}/islands-200`,
      email: textAt(info, 'default_email'),
    };
  },
  logo: '',
};

import { textAt } from '../json-values.js';
import type { OAuth2Provider } from '../oauth2-provider.js';

/** Lark/Feishu. */
export const lark: OAuth2Provider = {
  name: 'lark',
  displayName: 'Lark/Feishu',
  order: 19,
  pkce: true,
  scopes: [],
  authURL: 'https://accounts.feishu.cn/open-apis/authen/v1/authorize',
  tokenURL: 'https://open.feishu.cn/open-apis/authen/v2/oauth/token',
  userInfoURL: 'https://open.feishu.cn/open-apis/authen/v1/user_info',
  toUser: (info) => ({
    id: textAt(info, 'data.union_id'),
    name: textAt(info, 'data.name'),
    avatarURL: textAt(info, 'data.avatar_url'),
  }),
  logo: '',
};

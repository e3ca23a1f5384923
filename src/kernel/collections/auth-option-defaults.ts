import type { AuthOptions, OAuth2ProviderConfig, TokenKind } from './auth-options.js';
import { DEFAULT_MAIL_TEMPLATES } from './mail-templates.js';

/** The five kinds of token in the order in which their options are shown. */
export const TOKEN_KINDS: readonly TokenKind[] = [
  'authToken',
  'passwordResetToken',
  'emailChangeToken',
  'verificationToken',
  'fileToken',
];

/** Seconds the tokens of a new auth collection are good for (COL-4). */
const DURATIONS: Readonly<Record<TokenKind, number>> = {
  authToken: 432_000,
  passwordResetToken: 1_800,
  emailChangeToken: 1_800,
  verificationToken: 86_400,
  fileToken: 180,
};

/** Characters of a generated token secret. */
export const SECRET_LENGTH = 50;

/** The options of a new auth collection (COL-4). `secret` is asked once per kind of token. */
export function defaultAuthOptions(secret: () => string): AuthOptions {
  const tokens = Object.fromEntries(
    TOKEN_KINDS.map((kind) => [kind, { secret: secret(), duration: DURATIONS[kind] }]),
  ) as Pick<AuthOptions, TokenKind>;
  return {
    authRule: '',
    manageRule: null,
    authAlert: { enabled: true, emailTemplate: DEFAULT_MAIL_TEMPLATES.authAlert },
    passwordAuth: { enabled: true, identityFields: ['email'] },
    oauth2: { enabled: false, mappedFields: { id: '', name: '', username: '', avatarURL: '' }, providers: [] },
    mfa: { enabled: false, duration: 600, rule: '' },
    otp: { enabled: false, duration: 180, length: 8, emailTemplate: DEFAULT_MAIL_TEMPLATES.otp },
    ...tokens,
    verificationTemplate: DEFAULT_MAIL_TEMPLATES.verification,
    resetPasswordTemplate: DEFAULT_MAIL_TEMPLATES.resetPassword,
    confirmEmailChangeTemplate: DEFAULT_MAIL_TEMPLATES.confirmEmailChange,
  };
}

/** An OAuth2 provider of which nothing is known yet. */
export const BLANK_PROVIDER: OAuth2ProviderConfig = {
  name: '',
  clientId: '',
  clientSecret: '',
  authURL: '',
  tokenURL: '',
  userInfoURL: '',
  displayName: '',
  pkce: null,
  extra: null,
};

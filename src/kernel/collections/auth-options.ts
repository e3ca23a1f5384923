/** Subject and HTML body of a mail, with placeholders such as {APP_NAME} (AUTH-1304). */
export interface MailTemplate {
  readonly subject: string;
  readonly body: string;
}

/** Secret and lifetime (seconds) of one kind of token. */
export interface TokenOptions {
  readonly secret: string;
  readonly duration: number;
}

/** The kinds of token, named as their options on a collection are. */
export type TokenKind = 'authToken' | 'passwordResetToken' | 'emailChangeToken' | 'verificationToken' | 'fileToken';

/** A configured OAuth2 provider of a collection. Empty URLs stand for the provider's own. */
export interface OAuth2ProviderConfig {
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authURL: string;
  readonly tokenURL: string;
  readonly userInfoURL: string;
  readonly displayName: string;
  readonly pkce: boolean | null;
  readonly extra: Readonly<Record<string, unknown>> | null;
}

/** Everything an auth collection has beyond a base collection (COL-4, AUTH-404), secrets included. */
export interface AuthOptions extends Readonly<Record<TokenKind, TokenOptions>> {
  readonly authRule: string | null;
  readonly manageRule: string | null;
  readonly authAlert: { readonly enabled: boolean; readonly emailTemplate: MailTemplate };
  readonly passwordAuth: { readonly enabled: boolean; readonly identityFields: readonly string[] };
  readonly oauth2: {
    readonly enabled: boolean;
    readonly mappedFields: {
      readonly id: string;
      readonly name: string;
      readonly username: string;
      readonly avatarURL: string;
    };
    readonly providers: readonly OAuth2ProviderConfig[];
  };
  readonly otp: {
    readonly enabled: boolean;
    readonly duration: number;
    readonly length: number;
    readonly emailTemplate: MailTemplate;
  };
  readonly mfa: { readonly enabled: boolean; readonly duration: number; readonly rule: string };
  readonly verificationTemplate: MailTemplate;
  readonly resetPasswordTemplate: MailTemplate;
  readonly confirmEmailChangeTemplate: MailTemplate;
}

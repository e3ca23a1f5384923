import { Injectable, Logger } from '@nestjs/common';
import { requireValid } from '../../http/dto/read-dto.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { fieldError } from '../../kernel/errors/error-codes.js';
import { messageOf } from '../../kernel/errors/message-of.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { AuthResult } from '../auth-results.js';
import { mfaIdOf } from '../mfa/mfa-id.js';
import { SignIn } from '../sign-in.js';
import { AppleNames } from './apple-names.js';
import { OAuth2Accounts } from './oauth2-accounts.js';
import type { OAuth2Client } from './oauth2-client.js';
import type { OAuth2LoginDto } from './oauth2-login.dto.js';
import { OAuth2ProviderRegistry } from './oauth2-provider-registry.js';
import type { OAuth2User } from './oauth2-user.js';
import { OAuth2Users } from './oauth2-users.js';
import type { AuthorizationGrant } from './token-exchange.js';

/** Signing in with somebody else's account (AUTH-901 to AUTH-911). */
@Injectable()
export class OAuth2Service {
  private readonly logger = new Logger('OAuth2');

  constructor(
    private readonly providers: OAuth2ProviderRegistry,
    private readonly users: OAuth2Users,
    private readonly appleNames: AppleNames,
    private readonly accounts: OAuth2Accounts,
    private readonly signIn: SignIn,
  ) {}

  /**
   * Throws a ValidationError that names all that is wrong with the login, 400 without data when the provider does not
   * confirm the sign-in, and what sign-up and `SignIn` throw.
   */
  async login(collection: Collection, login: OAuth2LoginDto, caller: Caller): Promise<AuthResult> {
    const client = this.clientOf(collection, login);
    const user = await this.ask(client, login);
    const { record, isNew } = await this.accounts.resolve({ collection, client, user, caller }, login.createData);
    return this.signIn.complete(record, {
      method: 'oauth2',
      caller,
      mfaId: mfaIdOf(login, caller),
      meta: toMeta(user, isNew),
    });
  }

  private clientOf(collection: Collection, login: OAuth2LoginDto): OAuth2Client {
    const clients = this.providers.clientsOf(collection.auth!);
    const client = clients.find((candidate) => candidate.provider.name === login.provider);
    requireValid(login, { provider: client ? undefined : fieldError('validation_invalid_provider') });
    return client!;
  }

  private async ask(client: OAuth2Client, login: OAuth2LoginDto): Promise<OAuth2User> {
    try {
      const user = await this.users.fetch(client, grantOf(login));
      const isNameless = client.provider.name === 'apple' && user.name === '';
      return isNameless ? { ...user, name: await this.appleNames.take(login.code) } : user;
    } catch (error) {
      const reason = withoutSecrets(messageOf(error), [login.code, login.codeVerifier, client.clientSecret]);
      this.logger.warn(`The sign-in with ${client.provider.name} failed: ${reason}`);
      throw new BadRequestError('The provider did not confirm the sign-in.', {}, { cause: error });
    }
  }
}

function grantOf({ code, codeVerifier, redirectURL, redirectUrl }: OAuth2LoginDto): AuthorizationGrant {
  return { code, codeVerifier, redirectURL: redirectURL || redirectUrl };
}

/** Providers often repeat what they were sent, as it is or encoded. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]).filter((form) => form !== '');
  return forms.reduce((clean, form) => clean.replaceAll(form, '***'), text);
}

/** What the client is told of the provider's user (AUTH-910). */
function toMeta({ suggestedEmail: _suggestedEmail, ...user }: OAuth2User, isNew: boolean): Record<string, unknown> {
  return { ...user, avatarUrl: user.avatarURL, isNew };
}

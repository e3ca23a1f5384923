import { Injectable } from '@nestjs/common';
import { SignInMethods } from '../collections/sign-in-methods.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { AuthMethods } from './auth-methods.dto.js';
import { OAuth2ProviderRegistry } from './oauth2/oauth2-provider-registry.js';

@Injectable()
export class AuthMethodsService {
  constructor(
    private readonly providers: OAuth2ProviderRegistry,
    private readonly added: SignInMethods,
  ) {}

  /** Every call has fresh states and code verifiers. */
  list(collection: Collection): AuthMethods {
    const { auth } = collection;
    const custom = this.added.of(collection).map(({ name, displayName }) => ({ name, displayName }));
    const { passwordAuth, oauth2, mfa, otp } = auth!;
    const identityFields = passwordAuth.enabled ? passwordAuth.identityFields : [];
    const invitations = oauth2.enabled ? this.providers.clientsOf(auth!).map((client) => client.invite()) : [];
    const providers = invitations.map((invitation) => ({ ...invitation, authUrl: invitation.authURL }));
    return {
      password: { enabled: passwordAuth.enabled, identityFields },
      oauth2: { enabled: oauth2.enabled, providers },
      mfa: { enabled: mfa.enabled, duration: mfa.enabled ? mfa.duration : 0 },
      otp: { enabled: otp.enabled, duration: otp.enabled ? otp.duration : 0 },
      ...(custom.length > 0 ? { custom } : {}),
      authProviders: providers.map((provider) => ({ ...provider, logo: '' })),
      usernamePassword: identityFields.includes('username'),
      emailPassword: identityFields.includes('email'),
    };
  }
}

import { Injectable } from '@nestjs/common';
import { OAuth2ProviderList } from '../../collections/oauth2-provider-list.js';
import type { AuthOptions, OAuth2ProviderConfig } from '../../kernel/collections/auth-options.js';
import { OAuth2Client } from './oauth2-client.js';
import type { OAuth2Provider } from './oauth2-provider.js';

/** The OAuth2 providers of one application. Filled at start-up; collections see their names through the list. */
@Injectable()
export class OAuth2ProviderRegistry {
  private readonly providers = new Map<string, OAuth2Provider>();

  constructor(private readonly list: OAuth2ProviderList) {}

  /** Throws when the name is taken: accounts are linked by it. */
  register(provider: OAuth2Provider): void {
    if (this.providers.has(provider.name)) {
      throw new Error(`The OAuth2 provider "${provider.name}" is registered twice.`);
    }
    this.providers.set(provider.name, provider);
    this.list.add(provider);
  }

  has(name: string): boolean {
    return this.providers.has(name);
  }

  /** The providers a collection has configured and that can be used, in its order. */
  clientsOf({ oauth2 }: AuthOptions): OAuth2Client[] {
    return oauth2.providers.flatMap((config) => this.clientFor(config) ?? []);
  }

  private clientFor(config: OAuth2ProviderConfig): OAuth2Client | undefined {
    const provider = this.providers.get(config.name);
    const client = provider && new OAuth2Client(provider, config);
    return client?.isComplete ? client : undefined;
  }
}

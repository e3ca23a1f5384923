import { Injectable } from '@nestjs/common';
import type { AuthOptions, OAuth2ProviderConfig } from '../../kernel/collections/auth-options.js';
import { OAuth2Client } from './oauth2-client.js';
import type { OAuth2Provider } from './oauth2-provider.js';

/** The OAuth2 providers of one application, by name. Filled at start-up. */
@Injectable()
export class OAuth2ProviderRegistry {
  private readonly providers = new Map<string, OAuth2Provider>();

  /** Throws when the name is taken: accounts are linked by it. */
  register(provider: OAuth2Provider): void {
    if (this.providers.has(provider.name)) {
      throw new Error(`The OAuth2 provider "${provider.name}" is registered twice.`);
    }
    this.providers.set(provider.name, provider);
  }

  find(name: string): OAuth2Provider | undefined {
    return this.providers.get(name);
  }

  has(name: string): boolean {
    return this.providers.has(name);
  }

  /** Sorted by order, then name (AUTH-1001). */
  all(): OAuth2Provider[] {
    return [...this.providers.values()].sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1));
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

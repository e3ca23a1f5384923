import { Injectable } from '@nestjs/common';

/** What the definition of a collection and its editor need to know of an OAuth2 provider. */
export interface OAuth2ProviderInfo {
  readonly name: string;
  readonly displayName: string;
  /** Inline SVG, or ''. */
  readonly logo: string;
  /** Place in the list of providers. */
  readonly order: number;
}

/** The OAuth2 providers of this application. Filled at start-up by the module that signs in with them. */
@Injectable()
export class OAuth2ProviderList {
  private readonly providers = new Map<string, OAuth2ProviderInfo>();

  add(provider: OAuth2ProviderInfo): void {
    this.providers.set(provider.name, provider);
  }

  has(name: string): boolean {
    return this.providers.has(name);
  }

  /** By order number, then by name (AUTH-1001). */
  all(): OAuth2ProviderInfo[] {
    return [...this.providers.values()].sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1));
  }
}

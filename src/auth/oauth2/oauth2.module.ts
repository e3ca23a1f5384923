import { type DynamicModule, Module } from '@nestjs/common';
import type { OAuth2Provider } from './oauth2-provider.js';
import { OAuth2ProviderRegistry } from './oauth2-provider-registry.js';
import { OAuth2ProvidersModule } from './oauth2-providers.module.js';

/** How a team adds OAuth2 providers of its own: `imports: [OAuth2Module.register(acme)]`. */
@Module({})
export class OAuth2Module {
  /** The start fails when a provider has the name of another one. */
  static register(...providers: readonly OAuth2Provider[]): DynamicModule {
    return {
      module: OAuth2Module,
      imports: [OAuth2ProvidersModule],
      providers: [
        {
          provide: Symbol('registered OAuth2 providers'),
          useFactory: (registry: OAuth2ProviderRegistry) =>
            providers.forEach((provider) => registry.register(provider)),
          inject: [OAuth2ProviderRegistry],
        },
      ],
    };
  }
}

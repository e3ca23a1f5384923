import { Module } from '@nestjs/common';
import { OAuth2ProviderRegistry } from './oauth2-provider-registry.js';
import { SHIPPED_PROVIDERS } from './shipped-providers.js';

/** The one registry of OAuth2 providers, with the shipped ones in it. */
@Module({
  providers: [{ provide: OAuth2ProviderRegistry, useFactory: createRegistry }],
  exports: [OAuth2ProviderRegistry],
})
export class OAuth2ProvidersModule {}

function createRegistry(): OAuth2ProviderRegistry {
  const registry = new OAuth2ProviderRegistry();
  for (const provider of SHIPPED_PROVIDERS) registry.register(provider);
  return registry;
}

import { Module } from '@nestjs/common';
import { CollectionsModule } from '../../collections/collections.module.js';
import { OAuth2ProviderList } from '../../collections/oauth2-provider-list.js';
import { OAuth2ProviderRegistry } from './oauth2-provider-registry.js';
import { SHIPPED_PROVIDERS } from './shipped-providers.js';

/** The one registry of OAuth2 providers, with the shipped ones in it. */
@Module({
  imports: [CollectionsModule],
  providers: [{ provide: OAuth2ProviderRegistry, useFactory: createRegistry, inject: [OAuth2ProviderList] }],
  exports: [OAuth2ProviderRegistry],
})
export class OAuth2ProvidersModule {}

function createRegistry(list: OAuth2ProviderList): OAuth2ProviderRegistry {
  const registry = new OAuth2ProviderRegistry(list);
  for (const provider of SHIPPED_PROVIDERS) registry.register(provider);
  return registry;
}

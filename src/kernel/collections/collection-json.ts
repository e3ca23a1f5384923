import { TOKEN_KINDS } from './auth-option-defaults.js';
import type { AuthOptions } from './auth-options.js';
import type { CollectionData } from './collection.js';

/**
 * A collection as every endpoint shows it: the properties of its own type only (COL-2), and never a secret of a token
 * or of an OAuth2 provider (COL-5).
 */
export function collectionToJson(collection: CollectionData): Record<string, unknown> {
  return {
    id: collection.id,
    name: collection.name,
    type: collection.type,
    system: collection.system,
    listRule: collection.listRule,
    viewRule: collection.viewRule,
    createRule: collection.createRule,
    updateRule: collection.updateRule,
    deleteRule: collection.deleteRule,
    fields: collection.fields,
    indexes: collection.indexes,
    created: collection.created,
    updated: collection.updated,
    ...(collection.type === 'view' ? viewJson(collection.viewQuery ?? '') : {}),
    ...(collection.auth ? withoutSecrets(collection.auth) : {}),
  };
}

function viewJson(viewQuery: string): Record<string, unknown> {
  return { viewQuery, options: { query: viewQuery } };
}

function withoutSecrets(options: AuthOptions): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...options };
  for (const kind of TOKEN_KINDS) shown[kind] = { duration: options[kind].duration };
  const providers = options.oauth2.providers.map(({ clientSecret: _secret, ...provider }) => provider);
  return { ...shown, oauth2: { ...options.oauth2, providers } };
}

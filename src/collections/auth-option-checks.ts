import { TOKEN_KINDS } from '../kernel/collections/auth-option-defaults.js';
import type { AuthOptions, OAuth2ProviderConfig } from '../kernel/collections/auth-options.js';
import type { CollectionCatalog } from '../kernel/collections/collection-catalog.js';
import type { Collection } from '../kernel/collections/collection.js';
import { uniqueColumns } from '../kernel/collections/index-definition.js';
import { isExpression } from '../kernel/collections/rule.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { atLeast, atMost, length, nilOrNotEmpty, required, type Rule, url } from '../kernel/validation/rules.js';
import { type Check, isFine, object, type Shape, validateObject, when } from '../kernel/validation/validate-object.js';
import type { OAuth2ProviderList } from './oauth2-provider-list.js';
import { ruleError } from './rule-checks.js';

/** What auth options are checked against. */
export interface AuthOptionContext {
  readonly stored?: Collection;
  readonly catalog: CollectionCatalog;
  readonly providers: OAuth2ProviderList;
  /** How many ways of signing in modules add. */
  readonly added: number;
}

/** The longest a token can be good for: three years. */
const LONGEST_TOKEN = 94_670_856;
const DAY = 86_400;

const TEMPLATE: Shape = { subject: required, body: required };
const TOKEN: Check = object({
  secret: [required, length(30, 255)],
  duration: [required, atLeast(10), atMost(LONGEST_TOKEN)],
});

/** Everything wrong with the options of an auth collection (COL-4), `{}` when they are fine. */
export function authOptionErrors(
  collection: Collection,
  options: AuthOptions,
  context: AuthOptionContext,
): FieldErrors {
  const stored = context.stored?.system ? context.stored.auth : undefined;
  const rule = ruleCheck(collection, context.catalog);
  const { passwordAuth, oauth2, otp, mfa } = options;
  return validateObject(options, {
    authRule: [...(stored ? [kept(stored.authRule)] : []), rule],
    manageRule: [...(stored ? [kept(stored.manageRule)] : []), nilOrNotEmpty, rule],
    authAlert: object({ emailTemplate: object(TEMPLATE) }),
    passwordAuth: when(passwordAuth.enabled, object({ identityFields: [required, identityFields(collection)] })),
    oauth2: when(oauth2.enabled, object({ providers: providerList(context.providers) })),
    otp: object({
      duration: when(otp.enabled, required, atLeast(10), atMost(DAY)),
      length: when(otp.enabled, required, atLeast(4), atMost(71)),
      emailTemplate: object(TEMPLATE),
    }),
    mfa: object({
      enabled: when(mfa.enabled, enoughMethods(options, context.added)),
      duration: when(mfa.enabled, required, atLeast(10), atMost(DAY)),
      // What is switched off is stored too, and would hold once it is switched on.
      rule: [...(stored ? [kept(stored.mfa.rule)] : []), when(mfa.enabled, rule)],
    }),
    ...Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, TOKEN])),
    verificationTemplate: object(TEMPLATE),
    resetPasswordTemplate: object(TEMPLATE),
    confirmEmailChangeTemplate: object(TEMPLATE),
  });
}

function ruleCheck(collection: Collection, catalog: CollectionCatalog): Rule {
  return (value) => {
    const rule = value as string | null;
    return isExpression(rule) ? ruleError(rule, collection, catalog) : undefined;
  };
}

/** COL-30: the rules of a system collection stay. */
function kept(stored: string | null): Rule {
  return (value) => (value === stored ? undefined : fieldError('validation_collection_system_rule_change'));
}

function identityFields(collection: Collection): Rule {
  const unique = new Set(uniqueColumns(collection.indexes).map(({ name }) => name.toLowerCase()));
  return (value) => {
    for (const field of value as readonly string[]) {
      if (!collection.field(field)) return fieldError('validation_missing_field', { field });
      if (!unique.has(field.toLowerCase())) return fieldError('validation_missing_unique_constraint', { field });
    }
    return undefined;
  };
}

function enoughMethods({ passwordAuth, oauth2, otp }: AuthOptions, added: number): Rule {
  const methods = [passwordAuth, oauth2, otp].filter(({ enabled }) => enabled).length + added;
  return () => (methods < 2 ? fieldError('validation_mfa_not_enough_auths') : undefined);
}

function providerList(known: OAuth2ProviderList): Check {
  return (value) => {
    const seen = new Set<string>();
    const errors: Record<string, FieldError | FieldErrors> = {};
    for (const [position, provider] of (value as readonly OAuth2ProviderConfig[]).entries()) {
      const error = validateObject(provider, {
        name: [required, providerName(known, seen)],
        clientId: required,
        clientSecret: required,
        authURL: url,
        tokenURL: url,
        userInfoURL: url,
      });
      seen.add(provider.name);
      if (!isFine(error)) errors[String(position)] = error;
    }
    return isFine(errors) ? undefined : errors;
  };
}

function providerName(known: OAuth2ProviderList, seen: ReadonlySet<string>): Rule {
  return (value) => {
    const name = value as string;
    if (!known.has(name)) return fieldError('validation_missing_provider');
    return seen.has(name) ? fieldError('validation_duplicated_provider') : undefined;
  };
}

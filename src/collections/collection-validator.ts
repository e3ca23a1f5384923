import { Injectable } from '@nestjs/common';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { Collection } from '../kernel/collections/collection.js';
import { isExpression, RULE_NAMES } from '../kernel/collections/rule.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { nil } from '../kernel/validation/rules.js';
import { inOrder, isFine } from '../kernel/validation/validate-object.js';
import { authOptionErrors } from './auth-option-checks.js';
import { identityErrors, type NameContext } from './collection-name-checks.js';
import { fieldListErrors } from './field-list-checks.js';
import { indexErrors } from './index-checks.js';
import { OAuth2ProviderList } from './oauth2-provider-list.js';
import { ruleError } from './rule-checks.js';

/** What a definition is judged by. */
export interface ValidationContext extends NameContext {
  /** All collections as they will be, this one included. */
  readonly catalog: CatalogSnapshot;
}

type Errors = Record<string, FieldError | FieldErrors>;

/** Says what is wrong with the definition of a collection, all of it at once. */
@Injectable()
export class CollectionValidator {
  constructor(
    private readonly types: FieldTypeRegistry,
    private readonly providers: OAuth2ProviderList,
  ) {}

  /** Everything that is wrong, `{}` when nothing is. The fields of a view must be those its query yields. */
  check(collection: Collection, context: ValidationContext): FieldErrors {
    return { ...this.rules(collection, context), ...this.checkStructure(collection, context) };
  }

  /**
   * What can be judged before tables change: names, fields and indexes. When it is fine, names may be put into
   * statements. Rules and auth options are left out, because they may look at views that do not exist yet.
   */
  checkStructure(collection: Collection, context: ValidationContext): FieldErrors {
    const errors: Errors = { ...identityErrors(collection, context) };
    if (collection.isView && !collection.viewQuery) errors.viewQuery = fieldError('validation_required');
    const fields = fieldListErrors(collection, context, this.types);
    if (fields) errors.fields = fields;
    const indexes = indexErrors(collection, context);
    if (indexes) errors.indexes = indexes;
    return errors;
  }

  private rules(collection: Collection, context: ValidationContext): Errors {
    const errors: Errors = {};
    for (const name of RULE_NAMES) {
      const error = this.rule(collection, context, name);
      if (error) errors[name] = error;
    }
    if (!collection.auth) return errors;
    const auth = authOptionErrors(collection, collection.auth, {
      stored: context.stored,
      catalog: context.catalog,
      providers: this.providers,
    });
    return isFine(auth) ? errors : { ...errors, ...auth };
  }

  private rule(
    collection: Collection,
    { stored, catalog }: ValidationContext,
    name: (typeof RULE_NAMES)[number],
  ): FieldError | undefined {
    const rule = collection[name];
    if (stored?.system && stored[name] !== rule) return fieldError('validation_collection_system_rule_change');
    const writes = name === 'createRule' || name === 'updateRule' || name === 'deleteRule';
    if (collection.isView && writes) return inOrder(nil)(rule) as FieldError | undefined;
    return isExpression(rule) ? ruleError(rule, collection, catalog) : undefined;
  }
}

import { Injectable } from '@nestjs/common';
import { SchemaSync } from '../database/schema-sync.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { Collection } from '../kernel/collections/collection.js';
import { isExpression, RULE_NAMES, type RuleName } from '../kernel/collections/rule.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import type { Caller } from '../kernel/records/caller.js';
import { nil } from '../kernel/validation/rules.js';
import { isFine } from '../kernel/validation/validate-object.js';
import { authOptionErrors } from './auth-option-checks.js';
import { identityErrors, type NameContext } from './collection-name-checks.js';
import { ValidateCollection } from './collection.hooks.js';
import { type FieldListContext, fieldListErrors } from './field-list-checks.js';
import { indexErrors } from './index-checks.js';
import { OAuth2ProviderList } from './oauth2-provider-list.js';
import { SignInMethods } from './sign-in-methods.js';
import { ruleError } from './rule-checks.js';

/** What a definition is checked against. */
export interface CollectionCheck {
  /** All collections as they are stored. */
  readonly before: CatalogSnapshot;
  /** As `foreignNames` gives them, where many collections are checked. */
  readonly foreignNames?: ReadonlySet<string>;
  /** True when the definition is no change of a stored one, whatever its id. */
  readonly isNew?: boolean;
  /** True for what comes by an import (COL-97). */
  readonly imported?: boolean;
  /** All collections as they will be, this one included. */
  readonly catalog: CatalogSnapshot;
  /**
   * `structure`: names, fields and indexes, to be checked before tables change, so that the names can be used in
   * statements. `rules`: rules and auth options, which may refer to views whose fields are not known before.
   */
  readonly scope: 'structure' | 'rules' | 'everything';
}

/** A definition that the hooks of validation get. */
export interface CheckedCollection {
  readonly collection: Collection;
  readonly original: Collection | undefined;
  readonly caller: Caller | null;
  readonly asBefore: boolean | undefined;
}

const NO_NAMES: ReadonlySet<string> = new Set();

type Errors = Record<string, FieldError | FieldErrors>;

/** Validates the definition of a collection and reports all errors at once. */
@Injectable()
export class CollectionValidator {
  constructor(
    private readonly types: FieldTypeRegistry,
    private readonly providers: OAuth2ProviderList,
    private readonly signInMethods: SignInMethods,
    private readonly schema: SchemaSync,
    private readonly hooks: HookRegistry,
  ) {}

  /** Everything that is wrong, `{}` when nothing is. The fields of a view must be those its query yields. */
  async check(
    collection: Collection,
    { before, isNew, imported, catalog, scope, ...known }: CollectionCheck,
  ): Promise<FieldErrors> {
    const stored = isNew ? undefined : before.findById(collection.id);
    const isNamed = scope === 'rules' || stored?.name === collection.name;
    const foreignNames = isNamed ? NO_NAMES : (known.foreignNames ?? (await this.foreignNames(before)));
    const context = { stored, catalog, foreignNames, imported };
    return {
      ...(scope === 'structure' ? {} : this.rules(collection, context)),
      ...(scope === 'rules' ? {} : this.structure(collection, context)),
    };
  }

  /** The errors together with those of hooks. Restored definitions are not validated by hooks again. */
  async withErrorsOfHooks(judged: CheckedCollection, found: FieldErrors): Promise<FieldErrors> {
    const { collection, original, caller, asBefore } = judged;
    const target = original ?? collection;
    if (asBefore || !this.hooks.has(ValidateCollection, target)) return found;
    const errors: Errors = { ...found };
    await this.hooks.run(ValidateCollection, { collection, original, errors, caller }, target);
    return errors;
  }

  /** Names of tables, views and indexes that belong to no collection. */
  async foreignNames(catalog: CatalogSnapshot): Promise<ReadonlySet<string>> {
    const names = await this.schema.takenNames();
    for (const { name } of catalog.all()) names.delete(name.toLowerCase());
    return names;
  }

  private structure(collection: Collection, context: NameContext & FieldListContext): FieldErrors {
    const errors: Errors = { ...identityErrors(collection, context) };
    if (collection.isView && !collection.viewQuery) errors.viewQuery = fieldError('validation_required');
    const fields = fieldListErrors(collection, context, this.types);
    if (fields) errors.fields = fields;
    const indexes = indexErrors(collection, context);
    if (indexes) errors.indexes = indexes;
    return errors;
  }

  private rules(collection: Collection, context: NameContext): Errors {
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
      added: this.signInMethods.of(collection).length,
    });
    return isFine(auth) ? errors : { ...errors, ...auth };
  }

  private rule(collection: Collection, { stored, catalog }: NameContext, name: RuleName): FieldError | undefined {
    const rule = collection[name];
    if (stored?.system && stored[name] !== rule) return fieldError('validation_collection_system_rule_change');
    const writes = name === 'createRule' || name === 'updateRule' || name === 'deleteRule';
    if (collection.isView && writes) return nil(rule);
    return isExpression(rule) ? ruleError(rule, collection, catalog) : undefined;
  }
}

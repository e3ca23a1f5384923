import type { CollectionModel, RuleName } from '../api/collection-model.js';

export interface RuleField {
  readonly name: RuleName | 'authRule' | 'manageRule';
  readonly label: string;
  readonly about?: string;
}

const LIST: RuleField = { name: 'listRule', label: 'List and search', about: 'Records that do not fit are left out.' };
const VIEW: RuleField = { name: 'viewRule', label: 'View' };

/** The rules a collection has: those of its records, and for auth collections those of signing in. */
export function draftRules(collection: CollectionModel): { main: RuleField[]; extra: RuleField[] } {
  if (collection.type === 'view') return { main: [LIST, VIEW], extra: [] };
  const main: RuleField[] = [
    LIST,
    VIEW,
    { name: 'createRule', label: 'Create' },
    { name: 'updateRule', label: 'Update' },
    { name: 'deleteRule', label: 'Delete' },
  ];
  if (collection.type !== 'auth') return { main, extra: [] };
  return {
    main,
    extra: [
      {
        name: 'authRule',
        label: 'Authentication',
        about: 'An extra condition for signing in, such as verified = true. Changing it ends all sessions.',
      },
      {
        name: 'manageRule',
        label: 'Manage',
        about:
          'Whoever fits it may change passwords, e-mails and verification of the accounts without the usual confirmations.',
      },
    ],
  };
}

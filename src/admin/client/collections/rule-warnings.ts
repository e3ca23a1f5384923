import { FilterError } from '../../../kernel/filter/filter.error.js';
import type { FilterNode, OperandNode } from '../../../kernel/filter/filter-node.js';
import { parseFilter } from '../../../kernel/filter/parse-filter.js';
import { isMultiple, RULE_NAMES, type CollectionModel } from '../api/collection-model.js';
import { ruleText } from './rule-text.js';

export type RuleKind = (typeof RULE_NAMES)[number] | 'authRule' | 'manageRule' | 'mfaRule';

/** The kinds of rules in the order in which they are shown. */
export const RULE_KINDS: readonly { readonly kind: RuleKind; readonly label: string }[] = [
  { kind: 'listRule', label: 'List' },
  { kind: 'viewRule', label: 'View' },
  { kind: 'createRule', label: 'Create' },
  { kind: 'updateRule', label: 'Update' },
  { kind: 'deleteRule', label: 'Delete' },
  { kind: 'authRule', label: 'Sign-in' },
  { kind: 'manageRule', label: 'Manage' },
  { kind: 'mfaRule', label: 'MFA' },
];

export interface RuleOf {
  readonly kind: RuleKind;
  readonly label: string;
  readonly rule: string | null;
}

/** The rules a collection has, those of signing in too. The one of MFA only counts where that is enabled. */
export function rulesOf(collection: CollectionModel): RuleOf[] {
  return RULE_KINDS.flatMap(({ kind, label }): RuleOf[] => {
    if (kind === 'mfaRule') return collection.mfa?.enabled ? [{ kind, label, rule: collection.mfa.rule }] : [];
    if (collection.type === 'view' && !['listRule', 'viewRule'].includes(kind)) return [];
    if (collection.type !== 'auth' && ['authRule', 'manageRule'].includes(kind)) return [];
    return [{ kind, label, rule: collection[kind] ?? null }];
  });
}

const OPEN: Readonly<Partial<Record<RuleKind, string>>> = {
  createRule: 'Everyone can create records, without signing in.',
  updateRule: 'Everyone can change every record, without signing in.',
  deleteRule: 'Everyone can delete every record, without signing in.',
  manageRule: 'Everyone can take over every account.',
};

const SIGN_UP = 'Everyone can make an account. Lock it unless people sign up by themselves.';

/** Part of every account, though not among the fields. */
const OF_ACCOUNTS = new Set(['id', 'collectionId', 'collectionName']);

function operandsOf(node: FilterNode): OperandNode[] {
  if (node.kind !== 'comparison') return node.terms.flatMap(operandsOf);
  const within = (operand: OperandNode): OperandNode[] =>
    operand.kind === 'call' ? operand.args.flatMap(within) : [operand];
  return [...within(node.left), ...within(node.right)];
}

/** The names after `@request.auth.` that no account has, in the order in which they stand. */
function unknownAccountFields(node: FilterNode, collections: readonly CollectionModel[]): string[] {
  const accounts = collections.filter((each) => each.type === 'auth');
  const names = operandsOf(node).flatMap((operand) =>
    operand.kind === 'identifier' && operand.name.startsWith('@request.auth.')
      ? [operand.name.slice('@request.auth.'.length).split(/[.:]/, 1)[0]!]
      : [],
  );
  return [...new Set(names)].filter(
    (name) =>
      !OF_ACCOUNTS.has(name) &&
      !name.includes('_via_') &&
      !accounts.some((each) => each.fields.some((field) => field.name === name)),
  );
}

type Value = string | number | boolean | null;

/** The value an operand always has; undefined where it depends on something. */
function valueOf(operand: OperandNode): Value | undefined {
  if (operand.kind === 'text' || operand.kind === 'number') return operand.value;
  if (operand.kind !== 'identifier') return undefined;
  const word = operand.name.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : word === 'null' ? null : undefined;
}

/** What the server takes for the same: nothing and an empty text; numbers that are written as texts are let be. */
function same(a: Value, b: Value): boolean {
  return (a ?? '') === (b ?? '');
}

interface Demand {
  readonly name: string;
  readonly operator: string;
  readonly value: Value;
}

/** What a comparison demands of one thing that has one value at a time. */
function demandOf(node: FilterNode, collection: CollectionModel): Demand | undefined {
  if (node.kind !== 'comparison' || !['=', '!='].includes(node.operator)) return undefined;
  for (const [side, other] of [
    [node.left, node.right],
    [node.right, node.left],
  ] as const) {
    const value = valueOf(other);
    if (side.kind !== 'identifier' || valueOf(side) !== undefined || value === undefined) continue;
    const hasOne =
      side.name.startsWith('@request.auth.') ||
      side.name === '@request.method' ||
      side.name === '@request.context' ||
      collection.fields.some((field) => field.name === side.name && !isMultiple(field) && field.type !== 'json');
    // A path through relations may lead to several.
    if (hasOne && side.name.split('.').length <= 3 && !side.name.includes(':'))
      return { name: side.name, operator: node.operator, value };
  }
  return undefined;
}

/** Why nothing can ever fit an expression; undefined when something might. */
function impossible(node: FilterNode, collection: CollectionModel): string | undefined {
  if (node.kind === 'or') {
    const reasons = node.terms.map((term) => impossible(term, collection));
    return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined;
  }
  if (node.kind === 'and') {
    for (const term of node.terms) {
      const reason = impossible(term, collection);
      if (reason) return reason;
    }
    return contradiction(node.terms.flatMap((term) => demandOf(term, collection) ?? []));
  }
  const [left, right] = [valueOf(node.left), valueOf(node.right)];
  if (left !== undefined && right !== undefined && typeof left === typeof right) {
    if (node.operator === '=' && !same(left, right)) return `${String(left)} is never ${String(right)}.`;
    if (node.operator === '!=' && same(left, right)) return `${String(left)} is always ${String(right)}.`;
  }
  const demand = demandOf(node, collection);
  const select = collection.fields.find((field) => field.name === demand?.name && field.type === 'select');
  if (!demand || !select || demand.operator !== '=' || same(demand.value, '')) return undefined;
  const values = (select.values as string[] | null) ?? [];
  return values.includes(String(demand.value)) ? undefined : `${demand.name} has no value "${String(demand.value)}".`;
}

function contradiction(demands: readonly Demand[]): string | undefined {
  for (const [index, one] of demands.entries()) {
    for (const other of demands.slice(index + 1)) {
      if (one.name !== other.name) continue;
      const equal = same(one.value, other.value);
      const bothDemanded = one.operator === '=' && other.operator === '=' && !equal;
      // The server compares texts and numbers by rules of its own.
      const comparable = typeof (one.value ?? '') === typeof (other.value ?? '');
      if ((bothDemanded && comparable) || (one.operator !== other.operator && equal))
        return `${one.name} cannot be both.`;
    }
  }
  return undefined;
}

export interface RuleWarning extends RuleOf {
  readonly message: string;
}

/** What one had better look at in the rules of a collection (UI-74). What cannot be read at all its editor tells. */
export function ruleWarnings(collection: CollectionModel, collections: readonly CollectionModel[]): RuleWarning[] {
  return rulesOf(collection).flatMap((each): RuleWarning[] => {
    const { kind, rule } = each;
    const isSignUp = kind === 'createRule' && collection.type === 'auth';
    if (rule === '' && OPEN[kind]) return [{ ...each, message: isSignUp ? SIGN_UP : OPEN[kind] }];
    if (!rule) return [];
    let node: FilterNode;
    try {
      node = parseFilter(rule);
    } catch (error) {
      if (error instanceof FilterError) return [];
      throw error;
    }
    const reason = impossible(node, collection);
    return [
      ...unknownAccountFields(node, collections).map((name) => ({
        ...each,
        message: `No account has a field "${name}": @request.auth.${name} is always empty.`,
      })),
      ...(reason ? [{ ...each, message: `Can never be true: ${reason}` }] : []),
    ];
  });
}

/** Rules that say the same stand together, so that five locked ones are one line; one with a warning has its own. */
export function together(rules: readonly RuleOf[], warnings: readonly RuleWarning[]): RuleOf[][] {
  const groups = new Map<string, RuleOf[]>();
  for (const rule of rules) {
    const isWarned = warnings.some(({ kind }) => kind === rule.kind);
    const key = isWarned ? rule.kind : ruleText(rule.rule, rule.kind);
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }
  return [...groups.values()];
}

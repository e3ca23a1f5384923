import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { FILTER_MACROS } from './filter-macros.js';
import type { FilterScope } from './filter-scope.js';
import { endsInLiteral } from './in-literal.js';

const CONTEXTS = ['default', 'expand', 'realtime', 'protectedFile', 'batch', 'oauth2', 'otp', 'password'];
const COUNTED = new Set(['select', 'relation', 'file', 'json']);

function fieldOption(field: FieldModel, prefix: string): Completion {
  return { label: `${prefix}${field.name}`, detail: field.type, type: 'property' };
}

/** The collection a path ends in, walking relations and back-relations; undefined when it ends elsewhere. */
export function collectionAt(
  scope: FilterScope,
  start: CollectionModel | undefined,
  path: readonly string[],
): CollectionModel | undefined {
  let current = start;
  for (const part of path) {
    if (!current) return undefined;
    const via = part.split('_via_');
    if (via.length === 2) current = scope.collections.find((each) => each.name === via[0] || each.id === via[0]);
    else {
      const field = current.fields.find((each) => each.name === part);
      current =
        field?.type === 'relation' ? scope.collections.find((each) => each.id === field.collectionId) : undefined;
    }
  }
  return current;
}

function fieldsOf(scope: FilterScope, collection: CollectionModel | undefined, prefix: string): Completion[] {
  if (!collection) return [];
  const back = scope.collections.flatMap((other) =>
    other.fields
      .filter((field) => field.type === 'relation' && field.collectionId === collection.id)
      .map((field) => ({
        label: `${prefix}${other.name}_via_${field.name}`,
        detail: 'back-relation',
        type: 'property',
        boost: -20,
      })),
  );
  const own = collection.fields.filter((field) => field.type !== 'password' && field.name !== 'tokenKey');
  return [
    ...own.map((field) => fieldOption(field, prefix)),
    ...own
      .filter((field) => field.type === 'geoPoint')
      .flatMap((field) =>
        [`${field.name}.lon`, `${field.name}.lat`].map((name) => ({ label: `${prefix}${name}`, detail: 'number' })),
      ),
    ...back,
  ];
}

function requestOptions(scope: FilterScope, path: readonly string[]): Completion[] {
  const [, kind, ...rest] = path;
  if (path.length === 1) {
    return ['context', 'method', 'auth.', 'body.', 'query.', 'headers.'].map((name) => ({
      label: `@request.${name}`,
      type: 'variable',
    }));
  }
  const prefix = `${path.join('.')}.`;
  if (kind === 'auth') {
    const accounts = scope.collections.filter((each) => each.type === 'auth');
    const seen = new Map<string, Completion>();
    for (const account of accounts) {
      for (const option of fieldsOf(scope, collectionAt(scope, account, rest), prefix)) seen.set(option.label, option);
    }
    if (!rest.length) {
      for (const name of ['collectionId', 'collectionName'])
        seen.set(name, { label: `${prefix}${name}`, detail: 'text' });
    }
    return [...seen.values()];
  }
  if (kind === 'body') return fieldsOf(scope, collectionAt(scope, scope.collection, rest), prefix);
  return [];
}

function modifiersFor(scope: FilterScope, path: string): Completion[] {
  const parts = path.split('.');
  const isRequest = parts[0] === '@request';
  const start = isRequest ? scope.collection : parts[0] === '@collection' ? undefined : scope.collection;
  const field = collectionAt(scope, start, (isRequest ? parts.slice(2) : parts).slice(0, -1))?.fields.find(
    (each) => each.name === parts.at(-1),
  );
  const names = [
    ...(isRequest ? ['isset'] : []),
    ...(parts[1] === 'body' && isRequest ? ['changed'] : []),
    ...(field && COUNTED.has(field.type) ? ['length', 'each'] : []),
    'lower',
  ];
  return names.map((name) => ({ label: `${path}:${name}`, detail: 'modifier', type: 'keyword' }));
}

function optionsFor(scope: FilterScope, word: string): Completion[] {
  if (word.includes(':')) {
    const base = word.slice(0, word.lastIndexOf(':'));
    if (!base.startsWith('@collection.') || base.split('.').length > 2) return modifiersFor(scope, base);
  }
  const path = word.split('.').slice(0, -1);
  const prefix = path.length ? `${path.join('.')}.` : '';
  if (path[0] === '@request') return requestOptions(scope, path);
  if (path[0] === '@collection') {
    if (path.length === 1)
      return scope.collections.map((each) => ({ label: `@collection.${each.name}.`, detail: each.type }));
    const target = scope.collections.find((each) => each.name === path[1]!.split(':')[0]);
    return fieldsOf(scope, collectionAt(scope, target, path.slice(2)), prefix);
  }
  if (path.length) return fieldsOf(scope, collectionAt(scope, scope.collection, path), prefix);
  return [
    ...(scope.names ?? []).map((name) => ({ label: name, type: 'property' })),
    ...fieldsOf(scope, scope.collection, ''),
    ...(scope.names ? [] : ['@request.', '@collection.'].map((label) => ({ label, detail: 'path', boost: -10 }))),
    ...FILTER_MACROS.map((label) => ({ label, detail: 'macro', boost: -30 })),
    ...['true', 'false', 'null'].map((label) => ({ label, boost: -40 })),
    ...[
      { label: 'geoDistance(', detail: 'lonA, latA, lonB, latB' },
      { label: 'strftime(', detail: 'format, time' },
    ].map((each) => ({ ...each, boost: -40 })),
  ];
}

/** Completions for filters and rules: fields along relations to any depth, the request, collections, macros. */
export function filterCompletion(scope: FilterScope): CompletionSource {
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[@#\w][\w.:]*/);
    const from = word?.from ?? context.pos;
    const before = context.state.sliceDoc(0, from);
    if (endsInLiteral(before)) return null;
    if (!word && /@request\.context\s*!?=\s*$/.test(before)) {
      return { from, options: CONTEXTS.map((name) => ({ label: `'${name}'` })) };
    }
    if (!word && !context.explicit) return null;
    const text = word?.text ?? '';
    const options = optionsFor(scope, text);
    return options.length ? { from, options, validFor: /^[@#\w]*$/ } : null;
  };
}

import { describe, expect, it } from 'vitest';
import type { FieldChecks } from './field-checks.js';
import type { FieldOptionsContext } from './field-type.js';
import { RelationField, type RelationDefinition } from './relation-field.js';

const type = new RelationField();
const field = (options: Partial<RelationDefinition> = {}) =>
  ({
    required: false,
    collectionId: 'target',
    cascadeDelete: false,
    minSelect: 0,
    maxSelect: 0,
    ...options,
  }) as RelationDefinition;

const COLLECTIONS: Readonly<Record<string, string>> = { target: 'base', people: 'auth', view: 'view' };
const context = (options: Partial<FieldOptionsContext> = {}): FieldOptionsContext => ({
  fields: [],
  collection: { id: 'own', type: 'base', name: 'posts' },
  collectionType: (id) => (Object.hasOwn(COLLECTIONS, id) ? COLLECTIONS[id] : undefined),
  ...options,
});
const optionCodes = (options: Partial<RelationDefinition>, outside = context()) =>
  Object.fromEntries(
    Object.entries(type.checkOptions(field(options), outside)).map(([name, { code }]) => [name, code]),
  );

const checks = (existing: readonly string[], hasCollection = true) =>
  ({
    hasCollection: () => hasCollection,
    existingIds: (_id: string, ids: readonly string[]) =>
      Promise.resolve(new Set(ids.filter((id) => existing.includes(id)))),
  }) as unknown as FieldChecks;

describe('relation fields', () => {
  it('COL-73 hold ids, one or several', () => {
    expect(type.normalize(['a', 'b'], field())).toBe('b');
    expect(type.normalize(['a', 'b', 'a'], field({ maxSelect: 2 }))).toEqual(['a', 'b']);
    expect(type.operandKind(field())).toBe('T');
    expect(type.operandKind(field({ maxSelect: 999 }))).toBe('M');
  });

  it('COL-73 required, and the least and greatest number', async () => {
    const some = field({ required: true, minSelect: 2, maxSelect: 3 });
    const outside = checks(['a', 'b', 'c', 'd']);
    expect((await type.validate([], some, outside))?.code).toBe('validation_required');
    expect(await type.validate(['a'], some, outside)).toMatchObject({
      code: 'validation_not_enough_values',
      params: { minSelect: 2 },
    });
    expect(await type.validate(['a', 'b', 'c', 'd'], some, outside)).toMatchObject({
      code: 'validation_too_many_values',
      params: { maxSelect: 3 },
    });
    expect(await type.validate(['a', 'b'], some, outside)).toBeUndefined();
    expect(await type.validate([], field({ minSelect: 2, maxSelect: 3 }), outside)).toBeUndefined();
  });

  it('COL-73 every id has to exist in the collection', async () => {
    expect(await type.validate('a', field(), checks(['a']))).toBeUndefined();
    expect((await type.validate('x', field(), checks(['a'])))?.code).toBe('validation_missing_rel_records');
    expect((await type.validate(['a', 'x'], field({ maxSelect: 2 }), checks(['a'])))?.code).toBe(
      'validation_missing_rel_records',
    );
    expect((await type.validate('a', field(), checks(['a'], false)))?.code).toBe('validation_missing_rel_collection');
  });

  it('COL-73 the target is an existing collection, named by its id', () => {
    expect(optionCodes({})).toEqual({});
    expect(optionCodes({ collectionId: 'people' })).toEqual({});
    expect(optionCodes({ collectionId: '' })).toEqual({ collectionId: 'validation_required' });
    expect(optionCodes({ collectionId: 'nowhere' })).toEqual({
      collectionId: 'validation_field_relation_missing_collection',
    });
  });

  it('COL-73 COL-136 only views point to views', () => {
    expect(optionCodes({ collectionId: 'view' })).toEqual({
      collectionId: 'validation_relation_field_non_view_base_collection',
    });
    const ofView = context({ collection: { id: 'own', type: 'view', name: 'v' } });
    expect(optionCodes({ collectionId: 'view' }, ofView)).toEqual({});
  });

  it('COL-73 the target of a stored field stays', () => {
    const stored = field({ collectionId: 'people' });
    expect(optionCodes({}, context({ stored }))).toEqual({ collectionId: 'validation_field_relation_change' });
    expect(optionCodes({ collectionId: 'people' }, context({ stored }))).toEqual({});
  });

  it('COL-73 minSelect and maxSelect', () => {
    expect(optionCodes({ minSelect: -1 })).toEqual({ minSelect: 'validation_min_greater_equal_than_required' });
    expect(optionCodes({ minSelect: 1 })).toEqual({ maxSelect: 'validation_required' });
    expect(optionCodes({ minSelect: 3, maxSelect: 2 })).toEqual({
      maxSelect: 'validation_min_greater_equal_than_required',
    });
    expect(optionCodes({ minSelect: 2, maxSelect: 2 })).toEqual({});
    expect(optionCodes({ maxSelect: 2 ** 53 - 1 })).toEqual({});
  });

  it('COL-57 COL-73 modifiers are those of select', () => {
    expect(type.modifiers).toEqual(['append', 'prepend', 'remove']);
    expect(type.modify(['a'], 'append', 'b', field({ maxSelect: 2 }))).toEqual(['a', 'b']);
  });
});

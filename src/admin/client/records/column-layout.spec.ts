import { describe, expect, it } from 'vitest';
import type { FieldModel } from '../api/collection-model.js';
import { newField } from '../fields/field-types.js';
import {
  inOrder,
  isShown,
  moved,
  NARROWEST,
  pinToggled,
  resized,
  stickyCount,
  toggled,
  WIDEST,
  type ColumnChoice,
} from './column-layout.js';

const FIELDS = ['a', 'b', 'c', 'd'].map((name) => newField('text', name));
const NONE: ColumnChoice = { hide: [], show: [] };
const names = (choice: Partial<ColumnChoice>, fields: readonly FieldModel[] = FIELDS) =>
  inOrder(fields, { ...NONE, ...choice })
    .map(({ name }) => name)
    .join('');

describe('columns', () => {
  it.each([
    ['as they come', {}, 'abcd'],
    ['in an order, new ones behind', { order: ['c', 'a'] }, 'cabd'],
    ['pinned ones first, in the order of their pins', { pinned: ['d', 'b'] }, 'dbac'],
    ['pinned ones before an order', { pinned: ['d'], order: ['c', 'd', 'a', 'b'] }, 'dcab'],
    ['without what is no longer there', { order: ['x', 'b'], pinned: ['y'] }, 'bacd'],
  ])('stand %s', (_what, choice, order) => {
    expect(names(choice)).toBe(order);
  });

  it.each([
    ['behind another', {}, ['a', 'c', true], 'bcad'],
    ['before another', {}, ['d', 'a', false], 'dabc'],
    ['among pinned ones, and is pinned', { pinned: ['b'] }, ['d', 'b', false], 'dbac'],
    ['away from pinned ones, and is not', { pinned: ['b', 'a'] }, ['b', 'd', true], 'acdb'],
    ['nowhere by itself', {}, ['a', 'a', true], 'abcd'],
  ] as const)('are moved %s', (_what, choice, [name, target, after], order) => {
    expect(names(moved({ ...NONE, ...choice }, FIELDS, name, target, after))).toBe(order);
  });

  it('are pinned and let go, and the first stays in sight without a pin', () => {
    const one = pinToggled(NONE, 'c');
    expect(names(one)).toBe('cabd');
    expect(stickyCount(FIELDS, one)).toBe(1);
    expect(stickyCount(FIELDS, pinToggled(one, 'a'))).toBe(2);
    expect(stickyCount(FIELDS, pinToggled(one, 'c'))).toBe(1);
  });

  it('are hidden and shown, hidden fields when they are wanted', () => {
    const secret = { ...newField('text', 's'), hidden: true };
    expect(isShown(secret, NONE)).toBe(false);
    expect(isShown(secret, toggled(NONE, 's', false))).toBe(true);
    expect(isShown(FIELDS[0]!, toggled(NONE, 'a', true))).toBe(false);
    expect(isShown(FIELDS[0]!, toggled(toggled(NONE, 'a', true), 'a', false))).toBe(true);
  });

  it('are resized within reason, and back', () => {
    expect(resized(NONE, 'a', 200.4).widths).toEqual({ a: 200 });
    expect(resized(NONE, 'a', 1).widths).toEqual({ a: NARROWEST });
    expect(resized(NONE, 'a', 1e6).widths).toEqual({ a: WIDEST });
    expect(resized(resized(NONE, 'a', 200), 'a', undefined).widths).toEqual({});
  });
});

import { describe, expect, it } from 'vitest';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { newField } from '../fields/field-types.js';
import {
  cellEdits,
  isEditedInPlace,
  NO_EDITS,
  nextCell,
  typedValue,
  type CellEdits,
  type CellEvent,
  type PendingCell,
} from './cell-edits.js';

const cell = (name: string, value: unknown): PendingCell => ({ id: 'r1', name, value });
const after = (...events: CellEvent[]) => events.reduce<CellEdits>(cellEdits, NO_EDITS);

describe('cellEdits', () => {
  const first = cell('title', 'one');
  const second = cell('title', 'two');

  it('keeps what was typed until it is stored', () => {
    expect(after({ kind: 'save', cell: first }).pending).toEqual([first]);
    expect(after({ kind: 'save', cell: first }, { kind: 'saved', cell: first }).pending).toEqual([]);
  });

  it('keeps what could not be stored, with the reason, until it is given up or tried again', () => {
    const failed: CellEvent[] = [
      { kind: 'save', cell: first },
      { kind: 'failed', cell: first, error: 'no' },
    ];
    expect(after(...failed).pending).toEqual([{ ...first, error: 'no' }]);
    const open: CellEvent = { kind: 'open', place: { id: 'r1', name: 'title' } };
    expect(after(...failed, open, { kind: 'leave' })).toEqual(NO_EDITS);
    expect(after(...failed, open, { kind: 'close' }).pending).toEqual([{ ...first, error: 'no' }]);
    expect(after(...failed, { kind: 'save', cell: second }).pending).toEqual([second]);
  });

  it.each(['saved', 'failed'] as const)('is not told of an older value by what has %s', (kind) => {
    const late = { kind, cell: first, error: 'no' } as CellEvent;
    expect(after({ kind: 'save', cell: first }, { kind: 'save', cell: second }, late).pending).toEqual([second]);
  });

  it('knows other cells apart', () => {
    const other = cell('views', 1);
    expect(after({ kind: 'save', cell: first }, { kind: 'save', cell: other }).pending).toEqual([first, other]);
  });
});

describe('nextCell', () => {
  const ids = ['r1', 'r2'];
  const names = ['a', 'b'];
  it.each([
    ['to the right', ['r1', 'a'], false, ['r1', 'b']],
    ['to the next row', ['r1', 'b'], false, ['r2', 'a']],
    ['not beyond the last', ['r2', 'b'], false, undefined],
    ['to the left', ['r2', 'b'], true, ['r2', 'a']],
    ['to the row before', ['r2', 'a'], true, ['r1', 'b']],
    ['not before the first', ['r1', 'a'], true, undefined],
    ['nowhere from a row that is gone', ['r3', 'a'], false, undefined],
  ] as const)('goes %s', (_what, [id, name], isBackwards, next) => {
    expect(nextCell({ id, name }, ids, names, isBackwards)).toEqual(next && { id: next[0], name: next[1] });
  });
});

describe('isEditedInPlace', () => {
  const base = { type: 'base' } as CollectionModel;
  const field = (type: string, options: object = {}) => ({ ...newField(type, 'x'), ...options }) as FieldModel;
  it.each([
    ['text', {}, true],
    ['select', { maxSelect: 1 }, true],
    ['relation', { maxSelect: 5 }, true],
    ['select', { maxSelect: 2 }, false],
    ['text', { name: 'id' }, false],
    ['editor', {}, false],
    ['file', {}, false],
    ['autodate', {}, false],
    ['geoPoint', {}, false],
    ['password', {}, false],
  ])('%s %j: %s', (type, options, is) => {
    expect(isEditedInPlace(field(type, options), base)).toBe(is);
  });

  it('edits no view', () => {
    expect(isEditedInPlace(field('text'), { type: 'view' } as CollectionModel)).toBe(false);
  });
});

describe('typedValue', () => {
  it.each([
    ['12.5', 'number', 12.5],
    ['', 'number', ''],
    ['  ', 'number', ''],
    ['twelve', 'number', 'twelve'],
    ['1e999', 'number', '1e999'],
    ['true', 'bool', true],
    ['false', 'bool', false],
    ['12', 'text', '12'],
  ])('%j as %s is %j', (text, type, value) => {
    expect(typedValue(text, newField(type, 'x'))).toBe(value);
  });
});

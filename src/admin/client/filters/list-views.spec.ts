import { describe, expect, it, vi } from 'vitest';
import { columnsOf, isChanged } from './list-views.js';

vi.mock('../api/api.js', () => ({ api: {} }));

const view = (columns: object) =>
  ({ id: 'v', name: 'V', filter: 'a = 1', sort: '-a', shared: false, columns }) as never;

describe('views of lists', () => {
  it('UI-73 takes the columns of a view, whoever has written them', () => {
    expect(columnsOf(view({}))).toEqual({ hide: [], show: [] });
    const choice = { hide: ['a'], show: ['b'], order: ['b', 'a'], pinned: ['b'], widths: { a: 90 } };
    expect(columnsOf(view(choice))).toEqual(choice);
    expect(columnsOf(view({ hide: 'a', show: [1, 'b'], pinned: null, widths: { a: 'wide', b: 80 } }))).toEqual({
      hide: [],
      show: ['b'],
      pinned: [],
      widths: { b: 80 },
    });
  });

  it('UI-73 knows whether the list shows something else by now', () => {
    const kept = view({ show: [], hide: ['x'] });
    const shown = { filter: 'a = 1', sort: '-a', columns: { hide: ['x'], show: [] } };
    expect(isChanged(kept, shown)).toBe(false);
    expect(isChanged(kept, { ...shown, filter: '' })).toBe(true);
    expect(isChanged(kept, { ...shown, sort: 'a' })).toBe(true);
    expect(isChanged(kept, { ...shown, columns: { hide: [], show: [] } })).toBe(true);
  });
});

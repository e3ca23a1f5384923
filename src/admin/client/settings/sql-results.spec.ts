import { describe, expect, it } from 'vitest';
import { barOf, chartPoints } from './chart-points.js';
import { explained, planTree } from './plan-tree.js';

const columns = (...names: string[]) => names.map((name) => ({ name, type: '', nullable: true }));

describe('results of the SQL console', () => {
  it.each([
    ['SELECT 1', 'EXPLAIN QUERY PLAN SELECT 1'],
    ['  SELECT 1 ;; ', 'EXPLAIN QUERY PLAN SELECT 1'],
    ["SELECT ';' -- a; b", "EXPLAIN QUERY PLAN SELECT ';' -- a; b"],
    ['explain query plan SELECT 1', 'explain query plan SELECT 1'],
    ['DELETE FROM a; SELECT 1', undefined],
    [' -- nothing', undefined],
    ['', undefined],
  ])('UI-81 has %s explained, and nothing done', (text, statement) => {
    expect(explained(text)).toBe(statement);
  });

  it('UI-81 makes a tree of a query plan, with what may be slow', () => {
    const rows = [
      ['3', '0', '0', 'COMPOUND QUERY'],
      ['4', '3', '0', 'SCAN posts'],
      ['9', '3', '0', 'SEARCH members USING INDEX a (b=?)'],
      ['10', '3', '0', 'SEARCH notes USING AUTOMATIC COVERING INDEX (b=?)'],
      ['12', '0', '0', 'USE TEMP B-TREE FOR ORDER BY'],
    ];
    expect(planTree({ columns: columns('id', 'parent', 'notused', 'detail'), rows })).toEqual([
      {
        detail: 'COMPOUND QUERY',
        steps: [
          { detail: 'SCAN posts', advice: expect.stringContaining('every row'), steps: [] },
          { detail: 'SEARCH members USING INDEX a (b=?)', steps: [] },
          {
            detail: 'SEARCH notes USING AUTOMATIC COVERING INDEX (b=?)',
            advice: expect.stringContaining('Makes an index'),
            steps: [],
          },
        ],
      },
      { detail: 'USE TEMP B-TREE FOR ORDER BY', advice: expect.stringContaining('Sorts'), steps: [] },
    ]);
    expect(planTree({ columns: columns('id', 'detail'), rows })).toBeUndefined();
  });

  it.each([
    [
      'a label and a number',
      ['a', 'b'],
      [
        ['x', '1'],
        ['y', '2.5'],
      ],
      [
        { label: 'x', value: 1 },
        { label: 'y', value: 2.5 },
      ],
    ],
    [
      'without a value',
      ['a', 'b'],
      [
        ['x', null],
        [null, '2'],
      ],
      [
        { label: 'x', value: 0 },
        { label: 'NULL', value: 2 },
      ],
    ],
    [
      'texts',
      ['a', 'b'],
      [
        ['x', 'y'],
        ['z', '1'],
      ],
      undefined,
    ],
    [
      'empty texts',
      ['a', 'b'],
      [
        ['x', ''],
        ['z', '1'],
      ],
      undefined,
    ],
    [
      'nothing but NULL',
      ['a', 'b'],
      [
        ['x', null],
        ['z', null],
      ],
      undefined,
    ],
    ['one row', ['a', 'b'], [['x', '1']], undefined],
    ['more bars than can be seen', ['a', 'b'], Array.from({ length: 201 }, () => ['x', '1']), undefined],
    [
      'three columns',
      ['a', 'b', 'c'],
      [
        ['x', '1', '2'],
        ['y', '1', '2'],
      ],
      undefined,
    ],
  ])('UI-81 draws %s', (_what, names, rows, points) => {
    expect(chartPoints({ columns: columns(...names), rows: rows as (string | null)[][] })).toEqual(points);
  });

  it('UI-81 draws negative values to the other side', () => {
    const points = [
      { label: 'a', value: -1 },
      { label: 'b', value: 3 },
    ];
    expect(points.map(({ value }) => barOf(value, points))).toEqual([
      { from: 0, length: 0.25 },
      { from: 0.25, length: 0.75 },
    ]);
    expect(barOf(0, [{ label: 'a', value: 0 }])).toEqual({ from: 0, length: 0 });
  });
});

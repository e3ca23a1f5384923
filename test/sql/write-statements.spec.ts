import { describe, expect, it } from 'vitest';
import { PostgresCompiler } from '../../src/kernel/sql/postgres-compiler.js';
import { PreparedStatement, type ValuePlace } from '../../src/kernel/sql/prepared-statement.js';
import type { SqlStatement } from '../../src/kernel/sql/sql-node.js';
import { SqliteCompiler } from '../../src/kernel/sql/sqlite-compiler.js';
import { and, call, column, compare, oneOf, param, table } from '../../src/kernel/sql/sql.js';

const ID = column('notes', 'id');
const TEXT = column('notes', 'te"xt');

const STATEMENTS: Readonly<Record<string, (place: ValuePlace) => SqlStatement>> = {
  insert: (place) => ({
    kind: 'insert',
    into: 'notes',
    columns: ['id', 'te"xt', 'list'],
    rows: [
      [place(), place(), place('array')],
      [place(), param('fixed'), place('array')],
    ],
    returning: [{ value: ID, as: 'id' }],
  }),
  update: (place) => ({
    kind: 'update',
    table: 'notes',
    set: [
      { column: 'te"xt', value: place() },
      { column: 'total', value: place('number') },
    ],
    where: and(compare(ID, '=', place()), compare(TEXT, '=', place())),
  }),
  'delete of some': (place) => ({
    kind: 'delete',
    from: 'notes',
    where: oneOf(ID, [place(), place()]),
    returning: [{ value: ID, as: 'id' }],
  }),
  'delete of none': () => ({ kind: 'delete', from: 'notes', where: oneOf(ID, []) }),
  'delete of all': () => ({ kind: 'delete', from: 'notes' }),
  'texts but for the case': (place) => ({
    kind: 'select',
    columns: [{ value: call('hour', TEXT), as: 'hour' }],
    from: table('notes'),
    where: { kind: 'sameText', left: TEXT, right: place() },
    limit: 1,
  }),
};

describe.each([
  ['sqlite', () => new SqliteCompiler()],
  ['postgres', () => new PostgresCompiler()],
] as const)('SCALE-11 statements in the words of %s', (name, newCompiler) => {
  it('read as reviewed', async () => {
    const texts = Object.entries(STATEMENTS).map(
      ([title, build]) => `-- ${title}\n${PreparedStatement.of(newCompiler(), build).sql}`,
    );
    await expect(`${texts.join('\n')}\n`).toMatchFileSnapshot(`snapshots/${name}-writes.sql`);
  });

  it('take their values in the order in which places were asked for, and name what they write', () => {
    const insert = PreparedStatement.of(newCompiler(), STATEMENTS['insert']!);
    expect(insert.with(['a', 'A', '[]', 'b', '["x"]'])).toMatchObject({
      params: ['a', 'A', '[]', 'b', 'fixed', '["x"]'],
      writes: ['notes'],
    });
    const select = PreparedStatement.of(newCompiler(), STATEMENTS['texts but for the case']!);
    expect(select.with(['x'])).toMatchObject({ params: ['x'], tables: ['notes'] });
    expect(select.with(['x']).writes).toBeUndefined();
    const turned = PreparedStatement.of(newCompiler(), (place) => {
      const [first, second] = [place(), place()];
      return { kind: 'delete', from: 'notes', where: and(compare(TEXT, '=', second), compare(ID, '=', first)) };
    });
    expect(turned.with(['id', 'text']).params).toEqual(['text', 'id']);
  });
});

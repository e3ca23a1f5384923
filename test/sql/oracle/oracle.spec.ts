import fc from 'fast-check';
import { describe, it } from 'vitest';
import { TestDatabase } from '../test-database.js';
import { type Expression, holds } from './evaluate.js';
import { comparison, entangled, expression, print, QUERY, SCHEMA, SKETCHES, world } from './generate.js';

const db = new TestDatabase(SKETCHES);

type Rows = Readonly<Record<string, Record<string, unknown>>>;

/** Stores the rows, and gives them back as they are stored. */
function store(rows: Readonly<Record<string, Rows>>): Record<string, Record<string, unknown>[]> {
  const stored: Record<string, Record<string, unknown>[]> = {};
  for (const [name, records] of Object.entries(rows)) {
    db.sqlite.exec(`DELETE FROM "${name}"`);
    db.insert(name, records);
    stored[name] = Object.entries(records).map(([id, values]) => {
      const record = db.record(name, { id, ...values });
      return Object.fromEntries(db.get(name).fields.map((field) => [field.name, record.get(field.name)]));
    });
  }
  return stored;
}

const byId = (prefix: string, rows: readonly Record<string, unknown>[]): Rows =>
  Object.fromEntries(rows.map((row, index) => [`${prefix}${index + 1}`, row]));

function check(
  { main, far, back }: { [name: string]: readonly Record<string, unknown>[] },
  expressions: readonly Expression[],
  guarded: boolean,
): void {
  const tables = store({ far: byId('f', far!), back: byId('c', back!), main: byId('m', main!) });
  const forbidden = (table: string, row: Record<string, unknown>) =>
    guarded && table === 'far' && !((row['num'] as number) > 0);
  for (const node of expressions) {
    const filter = print(node);
    if (guarded && /@request|@collection/.test(filter)) continue;
    const found = db.list('main', filter, { guarded, caller: db.caller(null, { query: QUERY }) });
    const expected = tables['main']!.filter((row) =>
      holds(node, row, 'main', { schema: SCHEMA, tables, forbidden }),
    ).map((row) => row['id']);
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      throw new Error(`${filter}\nfinds    ${String(found)}\nexpected ${String(expected)}`);
    }
  }
}

/** Trying every choice takes long where there are many variables. */
const MOST_CHOICES = 5000;

function small(node: fc.Arbitrary<Expression>): fc.Arbitrary<Expression> {
  return node.filter((each) => 3 ** countPaths(each) <= MOST_CHOICES);
}

function countPaths(node: Expression): number {
  const paths = new Set<string>();
  const visit = (each: Expression): void => {
    if (each.kind !== 'comparison') return each.terms.forEach(visit);
    for (const { kind, text } of [each.left, each.right]) if (kind === 'path' && /[.:]/.test(text)) paths.add(text);
  };
  visit(node);
  return paths.size;
}

describe('filters against a naive evaluation of the specification', () => {
  const runs = Number(process.env['ORACLE_RUNS'] ?? 150);
  it.each([
    ['CMP-1 CMP-2 CMP-5 CMP-7 CMP-8 CMP-9 single comparisons', comparison, false],
    ['MM-2 MM-3 MM-4 MM-5 MM-6 MM-7 whole expressions', expression, false],
    ['GRD-4 guarded expressions', expression, true],
    ['MM-2 conditions about the same rows and about others', entangled, false],
    ['MM-2 GRD-4 guarded conditions about the same rows and about others', entangled, true],
  ] as const)('%s', (_title, node, guarded) => {
    const property = fc.property(world, fc.array(small(node), { minLength: 5, maxLength: 25 }), (rows, nodes) => {
      check(rows, nodes, guarded);
    });
    // A failure prints the seed and the path with which it can be repeated.
    fc.assert(property, { numRuns: runs });
  });
});

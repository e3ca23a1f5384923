import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { relation, NOW, TestDatabase } from './test-database.js';

const db = new TestDatabase({
  users: { type: 'auth', fields: { level: 'number', name: 'text', friends: relation('users', 5) } },
  notes: {
    fields: {
      t: 'text',
      u: 'text',
      n: 'number',
      k: 'number',
      b: 'bool',
      d: 'date',
      j: 'json',
      m: { type: 'select', values: ['a', 'b', '5'], maxSelect: 3 },
      r: relation('users'),
      rs: relation('users', 5),
    },
  },
});
db.insert('users', { ann: { level: 2, name: 'Ann' } });

const TEXTS = ['', 'a', 'A', 'b', '5', '-1.5', 'ann', 'é', '💥', '\ud800', 'a\0b', '\uffff', 'null', '2025-01-31'];
const NUMBERS = [0, 1, 5, -1, 1.5, 0.1, 1e21, 2 ** 53 + 2, -0];
const DATES = ['', '2025-01-31 09:00:00.000Z', '2026-03-04 05:06:07.089Z'];
const anything = fc.constantFrom<unknown>(...TEXTS, ...NUMBERS, true, false, null, ['a'], { k: 5 }, undefined);

const PATHS = [
  'id t u n k b d m r rs t:lower r:length m:length j j.k j:length r.name rs.level m:each r.id',
  '@request.body.t @request.body.n @request.body.b @request.body.d @request.body.m @request.body.r @request.body.x',
  '@request.body.t:isset @request.body.n:changed @request.body.t:lower @request.body.m:length @request.body.x.k',
  '@request.auth.id @request.auth.level @request.auth.name @request.auth.gone @request.auth.collectionName',
  '@request.auth.friends @request.auth.name:lower @request.auth.name:isset @request.query.q @request.query.none',
  '@request.headers.h @request.method @request.context @now @todayStart @year @collection.users.name',
].flatMap((line) => line.split(' '));
const quote = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

const operand = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...PATHS) },
  { weight: 2, arbitrary: fc.constantFrom(...[...TEXTS, ...DATES].map(quote), 'true', 'false', 'null') },
  { weight: 1, arbitrary: fc.constantFrom('0', '1', '5', '-1', '1.5', '9007199254740994') },
);
const operator = fc.constantFrom('=', '!=', '>', '>=', '<', '<=', '~', '!~', '?=', '?!=');
const comparison = fc.tuple(operand, operator, operand).map((parts) => parts.join(' '));
const rule = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    comparison,
    fc
      .tuple(fc.array(tie('node'), { minLength: 2, maxLength: 3 }), fc.constantFrom(' && ', ' || '))
      .map(([nodes, joint]) => `(${nodes.join(joint)})`),
  ),
})).node;

const values = fc.record({
  t: fc.constantFrom(...TEXTS),
  u: fc.constantFrom(...TEXTS),
  n: fc.constantFrom(...NUMBERS),
  k: fc.constantFrom(...NUMBERS),
  b: fc.boolean(),
  d: fc.constantFrom(...DATES),
  j: anything,
  m: fc.uniqueArray(fc.constantFrom('a', 'b', '5')),
  r: fc.constantFrom('', 'ann', 'bob'),
  rs: fc.uniqueArray(fc.constantFrom('ann', 'bob')),
});
const body = fc.dictionary(fc.constantFrom('t', 'n', 'b', 'd', 'm', 'r', 'x'), anything);
const account = fc.option(
  fc.record({
    id: fc.constantFrom('ann', 'bob', '5'),
    level: fc.constantFrom(...NUMBERS),
    name: fc.constantFrom(...TEXTS),
  }),
);

const decide = (text: string, record: object, caller = db.caller(null)) => {
  const row = () => db.record('notes', { id: 'draft', ...record }).toRow();
  return db.compiler.decide({
    collection: db.get('notes'),
    catalog: db,
    now: NOW,
    unstored: true,
    row,
    caller,
    rule: text,
  });
};

describe('rules that are decided without the database', () => {
  const runs = Number(process.env['ORACLE_RUNS'] ?? 1500);

  it('RULE-6 RULE-7 REC-8 are decided as the database would', () => {
    let decisions = 0;
    const property = fc.property(rule, values, body, account, (text, record, sent, auth) => {
      const caller = db.caller(auth && db.record('users', { ...auth }), {
        body: sent,
        query: { q: 'a' },
        headers: { h: '5' },
        method: 'POST',
      });
      let decided: boolean | undefined;
      try {
        decided = decide(text, record, caller);
      } catch {
        // A path that means nothing: nobody decides about that.
        return;
      }
      if (decided === undefined) return;
      decisions += 1;
      const passed = db.passed('notes', { id: 'draft', ...record }, [{ caller, rule: text }], true).length === 1;
      if (decided !== passed) throw new Error(`${text} is ${passed}, and was decided to be ${decided}`);
    });
    // A failure prints the seed and the path with which it can be repeated.
    fc.assert(property, { numRuns: runs });
    expect(decisions).toBeGreaterThan(runs / 10);
  });

  it.each([
    ['@request.auth.id != "" && r = @request.auth.id', true],
    ['@request.auth.id = r || t = ""', true],
    ['@request.auth.id = "" || n > 5', false],
    ['@request.body.n >= 0', true],
    ['b = true && d < @now && t:lower = "a"', true],
    ['@request.method = "GET" && @request.context = "default"', true],
    ['t = u', false],
    ['@request.auth.id = "" && r.name = "Ann"', false],
  ])('RULE-6 %s is', (text, holds) => {
    const record = { t: 'A', n: 5, b: true, r: 'ann', d: '2025-01-31 09:00:00.000Z' };
    const caller = db.caller(db.record('users', { id: 'ann' }), { body: { n: 5 } });
    expect(decide(text, record, caller)).toBe(holds);
  });

  it.each([
    't ~ "a"',
    'r.name = "Ann"',
    'j.k = 5',
    'm:length = 1',
    'n = 0.1',
    't = "💥"',
    '@collection.users.id != ""',
  ])('RULE-7 %s is not: databases may differ, or have more to look at', (text) =>
    expect(decide(text, { t: '💥', n: 0.1 })).toBeUndefined(),
  );
});

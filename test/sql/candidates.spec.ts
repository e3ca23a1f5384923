import { describe, expect, it } from 'vitest';
import { GUEST } from '../../src/kernel/records/caller.js';
import { relation, TestDatabase } from './test-database.js';

const db = new TestDatabase({
  orgs: { fields: { name: 'text' } },
  users: { type: 'auth', fields: { org: relation('orgs'), orgs: relation('orgs', 3), level: 'number' } },
  robots: { type: 'auth', fields: { level: 'number' } },
  notes: {
    fields: {
      title: 'text',
      zip: 'text',
      total: 'number',
      done: 'bool',
      owner: relation('users'),
      readers: relation('users', 5),
      parent: relation('notes'),
      data: 'json',
      place: 'geoPoint',
      secret: { type: 'text', hidden: true },
    },
  },
});
db.insert('orgs', { acme: { name: 'Acme' } });
db.insert('users', { ann: { org: 'acme', orgs: ['acme'], level: 2 }, bob: { level: 1 } });
db.insert('notes', { n1: { title: 'stored', owner: 'ann' }, n2: { title: 'child', parent: 'ghost' } });

const ann = db.caller(db.record('users', { id: 'ann', org: 'acme', orgs: ['acme'], level: 2 }));
const bob = db.caller(db.record('users', { id: 'bob', level: 1 }));
const robot = db.caller(db.record('robots', { id: 'r2', level: 2 }));
const draft = {
  id: 'draft',
  title: 'One',
  zip: '10115',
  total: 5,
  done: true,
  owner: 'ann',
  readers: ['ann', 'bob'],
  data: { k: [1, 'x'] },
  place: { lon: 1, lat: 2 },
};
const passes = (rule: string, caller = ann, values: object = draft) =>
  db.passed('notes', { ...values }, [{ caller, rule }], true).length === 1;

describe('a record that is not stored', () => {
  it('RULE-6 a create rule sees the values that would be stored', () => {
    expect(passes("title = 'One' && id = 'draft'")).toBe(true);
    expect(passes('owner = @request.auth.id')).toBe(true);
    expect(passes('owner = @request.auth.id', bob)).toBe(false);
    expect(passes("owner.org.name = 'Acme' && readers.id ?= @request.auth.id", bob)).toBe(true);
    expect(passes("data.k.1 = 'x' && data.k:length = 2 && place.lat = 2")).toBe(true);
  });

  it('RULE-7 comparisons are those of a stored record', () => {
    db.insert('notes', { same: { ...draft, id: 'same' } });
    const rules = ['zip = 10115', 'total = "5"', 'total > "4"', 'done = true', 'done = 1', 'zip > 9', 'total = title'];
    const more = [
      'readers = \'["ann","bob"]\'',
      'secret = ""',
      'data.k.0 = "1"',
      'total < zip',
      'total < "abc"',
      'total ~ "%5"',
      'done ~ "%1"',
    ];
    for (const rule of [...rules, ...more]) {
      expect([rule, passes(rule)]).toEqual([rule, db.passing('notes', rule, ann).includes('same')]);
    }
    db.sqlite.exec(`DELETE FROM notes WHERE id = 'same'`);
  });

  it('RULE-7 the collection itself is what is stored, and nothing points to the record', () => {
    expect(passes("@collection.notes.title ?= 'stored'")).toBe(true);
    expect(passes("@collection.notes.title ?= 'One'")).toBe(false);
    expect(passes('notes_via_parent.id = ""', ann, { ...draft, id: 'ghost' })).toBe(true);
    expect(
      db.passed('notes', { ...draft, id: 'ghost' }, [{ caller: ann, rule: 'notes_via_parent.id = "n2"' }]),
    ).toEqual([0]);
  });

  it('RT-87 one statement answers for many callers', () => {
    const checks = [ann, bob, robot, GUEST, ann].map((caller) => ({
      caller,
      rule: '@request.auth.id != "" && (owner = @request.auth.id || @request.auth.level = 2)',
    }));
    expect(db.passed('notes', draft, checks)).toEqual([0, 2, 4]);
    expect(db.passed('notes', draft, [...checks, { caller: GUEST }])).toEqual([0, 2, 4, 5]);
    const many = Array.from({ length: 150 }, (_, level) => ({
      caller: db.caller(db.record('users', { id: `u${level}`, level })),
      rule: '@request.auth.level > 147',
    }));
    const statement = (count: number) =>
      db.compiler.candidates({
        collection: db.get('notes'),
        catalog: db,
        now: 0,
        row: {},
        checks: many.slice(0, count),
      }).statement!;
    expect(statement(150).sql).toBe(statement(2).sql);
    expect(db.passed('notes', draft, many)).toEqual([148, 149]);
  });

  it('RT-60 RT-64 a filter comes on top of the rule, and only a sound one is passed', () => {
    const rule = 'owner = @request.auth.id';
    const filters = [
      "title = 'One'",
      "title = 'Two'",
      "secret = ''",
      "@request.auth.id != ''",
      'title =',
      '"@request.x" != ""',
    ];
    const checks = filters.map((filter) => ({ caller: ann, rule, filter, guarded: true }));
    expect(db.passed('notes', draft, checks)).toEqual([0, 5]);
    expect(
      db.passed(
        'notes',
        draft,
        checks.map((check) => ({ ...check, guarded: false })),
      ),
    ).toEqual([0, 2, 3, 5]);
    expect(db.passed('notes', draft, checks.slice(2, 3))).toEqual([]);
    expect(db.passed('notes', draft, [{ caller: ann, rule: 'gone = 1' }])).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { FilterError } from '../../src/kernel/filter/filter.error.js';
import { GUEST } from '../../src/kernel/records/caller.js';
import { BrokenRuleError } from '../../src/kernel/resolve/broken-rule.error.js';
import { checkRule } from '../../src/kernel/resolve/rule-check.js';
import { relation, TestDatabase } from './test-database.js';

const db = new TestDatabase({
  orgs: { fields: { name: 'text', open: 'bool' } },
  users: {
    type: 'auth',
    fields: {
      name: 'text',
      email: 'email',
      org: relation('orgs'),
      orgs: relation('orgs', 5),
      level: 'number',
      secret: { type: 'text', hidden: true },
      data: 'json',
    },
  },
  admins: { type: 'auth', fields: { name: 'text', rank: 'number' } },
  posts: {
    fields: {
      title: 'text',
      owner: relation('users'),
      org: relation('orgs'),
      total: 'number',
      tags: { type: 'select', values: ['a', 'b', 'c'], maxSelect: 3 },
      data: 'json',
      readers: relation('users', 9),
    },
  },
});
db.insert('orgs', { acme: { name: 'Acme', open: true }, corp: { name: 'Corp' } });
const people = {
  ann: { name: 'Ann', email: 'ann@x.io', org: 'acme', orgs: ['acme', 'corp'], level: 3, data: { k: [1, { d: 'x' }] } },
  bob: { name: 'Bob', org: 'corp', orgs: ['corp'], secret: 's' },
};
db.insert('users', people);
db.insert('posts', {
  p1: { title: 'One', owner: 'ann', org: 'acme', total: 3, tags: ['a'], readers: ['ann', 'bob'] },
  p2: { title: 'Two', owner: 'bob', org: 'corp', total: 5, tags: ['a', 'b'], readers: ['bob'] },
  p3: { title: 'Free', total: 0 },
});
const ann = db.caller(db.record('users', { id: 'ann', ...people.ann }));
const bob = db.caller(db.record('users', { id: 'bob', ...people.bob }));
const admin = db.caller(db.record('admins', { id: 'root', name: 'Root', rank: 3 }));
const passing = (rule: string, caller = ann) => db.passing('posts', rule, caller);
const ALL = ['p1', 'p2', 'p3'];

describe('@request.auth', () => {
  it('REF-2 every value of a guest is null', () => {
    expect(passing('owner = @request.auth.id', GUEST)).toEqual(['p3']);
    expect(passing('@request.auth.id != "" && owner = @request.auth.id', GUEST)).toEqual([]);
    expect(passing('@request.auth.orgs.name = null', GUEST)).toEqual(ALL);
    expect(passing('@request.auth.nonsense = null', ann)).toEqual(ALL);
    expect(passing('@request.auth.org.nonsense = null', ann)).toEqual(ALL);
  });

  it('RULE-3 a rule sees who asks', () => {
    const rule = 'owner = @request.auth.id';
    expect([ann, bob, GUEST, ann, admin].map((caller) => passing(rule, caller))).toEqual([
      ['p1'],
      ['p2'],
      ['p3'],
      ['p1'],
      [],
    ]);
  });

  it('RULE-2 hidden fields, other collections and paths from the caller', () => {
    expect(passing('@request.auth.secret = "s"', bob)).toEqual(ALL);
    expect(passing('@request.auth.org.name = org.name')).toEqual(['p1']);
    expect(passing('@request.auth.orgs.name ?= org.name')).toEqual(['p1', 'p2']);
    expect(passing('@request.auth.orgs ?= org')).toEqual(['p1', 'p2']);
    expect(passing('@request.auth.orgs:each ?= org && @request.auth.orgs.open ?= true')).toEqual(['p1']);
    expect(passing('@request.auth.posts_via_owner.total ?> 4', bob)).toEqual(ALL);
    expect(passing('@request.auth.posts_via_owner.total ?> 4', ann)).toEqual([]);
    expect(passing('@request.auth.orgs:length = 2')).toEqual(ALL);
    expect(passing('@request.auth.data.k.1.d = "x" && @request.auth.data.k:length = 2')).toEqual(ALL);
    expect(passing('@request.auth.name:lower = "ann"')).toEqual(ALL);
    expect(passing('@request.auth.collectionName = "admins" && @request.auth.rank = total', admin)).toEqual(['p1']);
    expect(passing('@request.auth.rank:isset = true', admin)).toEqual(ALL);
    expect(passing('@request.auth.rank:isset = true', ann)).toEqual([]);
    expect(passing('readers ?= @request.auth.id')).toEqual(['p1']);
    expect(passing('readers.id ?= @request.auth.id', bob)).toEqual(['p1', 'p2']);
  });
});

describe('other values of a request', () => {
  const asking = (request: Parameters<typeof db.caller>[1], rule: string) => passing(rule, db.caller(null, request));

  it('REF-2 REF-7 RULE-3 query, headers, method and context', () => {
    expect(asking({ query: { q: 'One' } }, 'title = @request.query.q')).toEqual(['p1']);
    expect(asking({ query: { min: '4' } }, 'total > @request.query.min')).toEqual(['p2']);
    expect(asking({ query: { min: 'x' } }, 'total < @request.query.min')).toEqual(ALL);
    expect(asking({}, 'title = @request.query.q || @request.query.q:isset = true')).toEqual([]);
    expect(asking({ headers: { x_key: 'K' } }, '@request.headers.x_key:lower = "k"')).toEqual(ALL);
    expect(
      asking({ method: 'PATCH', context: 'batch' }, '@request.method = "PATCH" && @request.context != "default"'),
    ).toEqual(ALL);
    expect(asking({ query: {} }, '@request.query.constructor:isset = false')).toEqual(ALL);
  });

  it('REF-7 body values keep their types', () => {
    const body = {
      title: 'Two',
      total: '5',
      n: 5,
      flag: true,
      none: null,
      tags: ['a', 'b'],
      deep: { list: [{ x: 1 }] },
    };
    expect(asking({ body }, 'title = @request.body.title && total = @request.body.total')).toEqual(['p2']);
    expect(asking({ body }, '@request.body.total = 5 && @request.body.n = 5 && @request.body.n != "5"')).toEqual(ALL);
    expect(asking({ body }, '@request.body.flag = true && @request.body.none = null')).toEqual(ALL);
    expect(asking({ body }, '@request.body.none:isset = true && @request.body.other:isset = false')).toEqual(ALL);
    expect(asking({ body }, '@request.body.tags = tags && @request.body.tags:length = 2')).toEqual(['p2']);
    expect(asking({ body }, '@request.body.deep.list.0.x = 1 && @request.body.deep.list.9.x = null')).toEqual(ALL);
    expect(asking({ body }, `@request.body.tags:each ?= 'b' && @request.body.tags:each != 'c'`)).toEqual(ALL);
    expect(asking({ body }, `@request.body.tags:each = 'b'`)).toEqual([]);
    expect(asking({ body: {} }, `@request.body.tags:length = 0`)).toEqual(ALL);
  });

  it('MM-7 ?= and ?!= look at the items of a submitted list, as they do at those of a stored one', () => {
    const cases: [unknown, string, boolean][] = [
      [['a', 'b'], "?= 'a'", true],
      [['a', 'b'], "?= 'c'", false],
      [['a', 'b'], "?!= 'a'", true],
      [['a'], "?!= 'a'", false],
      [[], "?!= 'a'", false],
      [undefined, "?!= 'a'", false],
      ['', "?!= 'a'", false],
      ['a', "?= 'a'", true],
      ['a', "?!= 'a'", false],
      ['b', "?!= 'a'", true],
    ];
    for (const [tags, comparison, holds] of cases) {
      const passing = asking({ body: { tags } }, `@request.body.tags ${comparison}`);
      expect(passing, `${JSON.stringify(tags)} ${comparison}`).toEqual(holds ? ALL : []);
    }
    expect(asking({ body: { tags: ['b', 'c'] } }, 'tags ?= @request.body.tags')).toEqual(['p2']);
    expect(asking({ body: { tags: ['a'] } }, '@request.body.tags = \'["a"]\' && @request.body.tags ~ "a"')).toEqual(
      ALL,
    );
  });

  it('CMP-5 items of a submitted select or relation are texts, for which null and empty are the same', () => {
    const none = { owner: '', tags: [] };
    expect(asking({ body: none }, '@request.body.owner:each = null && @request.body.owner:each = ""')).toEqual(ALL);
    expect(asking({ body: none }, '@request.body.tags:each = null && @request.body.tags:each = ""')).toEqual(ALL);
    expect(asking({ body: none }, '@request.body.tags:each != ""')).toEqual([]);
    expect(asking({ body: none }, 'owner.name != @request.body.owner:each')).toEqual(['p1', 'p2']);
    expect(asking({ body: none }, 'title = "Free" && tags:each = @request.body.tags:each')).toEqual(['p3']);
    expect(asking({ body: { tags: ['a', 'b'] } }, '@request.body.tags:each != null')).toEqual(ALL);
    expect(asking({ body: { tags: ['a', 'b'] } }, '@request.body.tags:each != tags:each')).toEqual(['p3']);
  });

  it('CMP-5 so are the items of the caller', () => {
    const alone = db.caller(db.record('users', { id: 'cid', name: 'Cid' }));
    expect(passing('@request.auth.orgs:each != ""', alone)).toEqual([]);
    expect(passing('@request.auth.orgs:each = null && @request.auth.org:each = null', alone)).toEqual(ALL);
    expect(passing('@request.auth.orgs:each != "" && @request.auth.org:each != ""', ann)).toEqual(ALL);
    expect(passing('@request.auth.org:each = org', ann)).toEqual(['p1']);
    expect(passing('@request.auth.orgs:each ?= org', bob)).toEqual(['p2']);
  });

  it('RULE-5 :changed compares what was sent with what is stored', () => {
    expect(asking({ body: { title: 'One' } }, '@request.body.title:changed = true')).toEqual(['p2', 'p3']);
    expect(asking({ body: { title: 'One' } }, '@request.body.title:changed = false')).toEqual(['p1']);
    expect(asking({ body: {} }, '@request.body.title:changed = false')).toEqual(ALL);
    expect(asking({ body: { tags: ['a'] } }, '@request.body.tags:changed = false')).toEqual(['p1']);
    expect(asking({ body: { data: null } }, '@request.body.data:changed = false')).toEqual(ALL);
  });

  it('MM-1 paths from submitted ids', () => {
    expect(asking({ body: { owner: 'ann' } }, '@request.body.owner.org.name = org.name')).toEqual(['p1']);
    expect(asking({ body: { readers: ['ann', 'bob'] } }, '@request.body.readers.org ?= org')).toEqual(['p1', 'p2']);
    expect(asking({ body: { readers: ['ann', 'bob'] } }, '@request.body.readers.org = org')).toEqual([]);
    expect(asking({ body: { owner: 'bob' } }, 'owner = @request.body.owner.id')).toEqual(['p2']);
    expect(asking({ body: {} }, '@request.body.owner.name = null')).toEqual(ALL);
  });
});

describe('paths of a record', () => {
  it('MM-1 what comes after several records is that of all of them', () => {
    expect(passing('readers.org.name = "Acme"')).toEqual([]);
    expect(passing('readers.org.name ?= "Acme"')).toEqual(['p1']);
    expect(passing('readers.org.name = "Corp"')).toEqual(['p2']);
    expect(passing('readers.org.name != "Acme"')).toEqual(['p2', 'p3']);
  });

  it('CMP-6 an index beyond every array leads to nothing', () => {
    for (const index of ['9', '2147483648', '9'.repeat(20), '9'.repeat(400)]) {
      expect(db.passing('users', `data.k.${index} = null`), index).toEqual(['ann', 'bob']);
      expect(passing(`@request.auth.data.k.${index} = null`), index).toEqual(ALL);
    }
  });
});

describe('rules that mean nothing', () => {
  it.each([
    'nothing = 1',
    'title.more = 1',
    'owner.nothing = 1',
    'title:isset = true',
    'title:each = 1',
    'title:nonsense = 1',
    '@request = 1',
    '@request.body = 1',
    '@request.auth = 1',
    '@request.nothing.x = 1',
    '@request.method.x = 1',
    '@request.body.title.x:changed = true',
    '@request.body.data.x:changed = true',
    'data..x = 1',
    '@request.auth.name:changed = true',
    '@collection.posts = 1',
    '@collection.nothing.id = 1',
    '@collection.posts:a:b.id = 1',
    '@nothing = 1',
    'collectionId = 1',
    'nothing(1) = 1',
    'title = ',
  ])('REF-1 REF-3 REF-4 REF-8 RULE-8 %s', (rule) => {
    expect(() => passing(rule)).toThrow(BrokenRuleError);
    expect(() => checkRule(rule, db.get('posts'), db)).toThrow(FilterError);
  });

  it.each([
    'owner.org.posts_via_org.tags:each ?= "a"',
    '@request.auth.anything.at.all = 1',
    '@request.body.x.y = data.z',
  ])('COL-140 %s is sound', (rule) => {
    expect(() => checkRule(rule, db.get('posts'), db)).not.toThrow();
  });

  it('REF-5 at most six relations lead to a field', () => {
    const hops = (count: number) => Array.from({ length: count }, (_, i) => (i % 2 ? 'owner' : 'posts_via_owner'));
    expect(db.passing('users', `${hops(6).join('.')}.name ?= 'Ann'`)).toEqual(['ann']);
    expect(() => db.passing('users', `${hops(7).join('.')}.title ?= 'One'`)).toThrow(BrokenRuleError);
  });

  it('REF-5 what leads to the first record, and what is inside of JSON, is not counted', () => {
    const from = (count: number) => Array.from({ length: count }, (_, i) => (i % 2 ? 'owner' : 'posts_via_owner'));
    const body = db.caller(db.record('users', { id: 'ann', ...people.ann }), { body: { owner: 'ann' } });
    for (const [prefix, caller] of [
      ['@request.auth', ann],
      ['@request.body.owner', body],
      ['@collection.users', ann],
    ] as const) {
      expect(passing(`${prefix}.${from(6).join('.')}.name ?= 'Ann'`, caller), prefix).toEqual(ALL);
      expect(() => passing(`${prefix}.${from(7).join('.')}.title ?= 'One'`, caller), prefix).toThrow(BrokenRuleError);
    }
    expect(db.passing('users', 'data.k.1.d.a.b.c.d.e.f = null && data.k.1.d = "x"')).toEqual(['ann']);
  });

  it('FLT-6 at most sixty joined paths', () => {
    const rule = (count: number) =>
      Array.from({ length: count }, (_, i) => `@collection.orgs:a${i}.name ?= 'Acme'`).join(' && ');
    expect(passing(rule(60))).toEqual(ALL);
    expect(() => passing(rule(61))).toThrow(BrokenRuleError);
  });
});

import { describe, expect, it } from 'vitest';
import { BadRequestError } from '../errors/bad-request.error.js';
import { parseFields, pickFields } from './fields.js';

const pick = (fields: string, answer: unknown) => pickFields(parseFields(fields), answer);

const record = {
  author: 'u1',
  collectionId: 'c1',
  expand: {
    author: { expand: { team: { id: 't1', name: 'Core' } }, id: 'u1', name: 'Ann' },
    tags: [
      { id: 'g1', name: 'red' },
      { id: 'g2', name: 'blue' },
    ],
  },
  geo: { lat: 2, lon: 1 },
  id: 'p1',
  json: [[{ a: 1 }], { a: 2 }],
  nothing: null,
  tags: ['g1', 'g2'],
  title: 'Hello',
  views: 3,
};

describe('parseFields', () => {
  it.each([
    'a:',
    'a:excerp(5)',
    'a:Excerpt(5)',
    'a:lower',
    ':excerpt()',
    'a:excerpt',
    'a:excerpt()',
    'a:excerpt(0)',
    'a:excerpt(-5)',
    'a:excerpt(1.5)',
    'a:excerpt(x)',
    'a:excerpt(true)',
    'a:excerpt(,true)',
    'a:excerpt(5,true,1)',
    'a:excerpt(5,,)',
    'a:excerpt(5',
    'a:excerpt 5)',
    'a:excerpt((5))',
    'a:excerpt(5))',
    'a:excerpt(5)x',
    'a:excerpt(5).b',
    'a:excerpt(5)(5)',
    'a:excerpt(5):excerpt(6)',
    'a(',
    'a)',
    ')(',
    'a,(b,c',
    'id,title:unknown(1)',
  ])('FLD-6 refuses %j', (fields) => {
    expect(() => parseFields(fields)).toThrow(BadRequestError);
  });

  it('FLD-6 answers 400 without data', () => {
    expect.assertions(1);
    try {
      parseFields('a:nope()');
    } catch (error) {
      expect((error as BadRequestError).toBody()).toEqual({
        code: 400,
        message: 'Invalid fields: unknown modifier.',
        data: {},
      });
    }
  });

  it('refuses a path of more than 100 levels, and takes one of 100', () => {
    const path = (levels: number) => Array.from({ length: levels }, () => 'a').join('.');
    expect(parseFields(path(100))).toBeDefined();
    expect(() => parseFields(path(101))).toThrow(BadRequestError);
  });

  it.each(['', ' ', ',', ' , ,'])('FLD-3 takes %j for everything', (fields) => {
    expect(parseFields(fields)).toBeUndefined();
    expect(pick(fields, record)).toBe(record);
  });
});

describe('pickFields', () => {
  it.each<[string, unknown]>([
    ['id', { id: 'p1' }],
    [' id , title ', { id: 'p1', title: 'Hello' }],
    ['id,unknown', { id: 'p1' }],
    ['unknown', {}],
    ['.id', {}],
    ['id.', { id: 'p1' }],
    ['constructor,__proto__,toString', {}],
    ['a(b)', {}],
  ])('FLD-3 picks %j and adds nothing', (fields, expected) => {
    expect(pick(fields, record)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['expand.author.name', { expand: { author: { name: 'Ann' } } }],
    ['expand.author.name,expand.author.id', { expand: { author: { id: 'u1', name: 'Ann' } } }],
    ['expand.tags.name', { expand: { tags: [{ name: 'red' }, { name: 'blue' }] } }],
    ['expand.unknown.name', { expand: {} }],
    ['expand.author.expand.team.name', { expand: { author: { expand: { team: { name: 'Core' } } } } }],
    ['geo.lon,id', { geo: { lon: 1 }, id: 'p1' }],
    ['expand.*.id', { expand: { author: { id: 'u1' }, tags: [{ id: 'g1' }, { id: 'g2' }] } }],
    ['*', record],
    ['*,expand.author.name', { ...record, expand: { author: { name: 'Ann' } } }],
    ['expand.author.name,*', { ...record, expand: { author: { name: 'Ann' } } }],
    ['expand,expand.author.name', { expand: { author: { name: 'Ann' } } }],
    [
      'expand.author.*,expand.author.expand.team.id',
      { expand: { author: { expand: { team: { id: 't1' } }, id: 'u1', name: 'Ann' } } },
    ],
    [
      '*,expand.*,expand.tags.name',
      { ...record, expand: { ...record.expand, tags: [{ name: 'red' }, { name: 'blue' }] } },
    ],
  ])('FLD-2 picks %j', (fields, expected) => {
    expect(pick(fields, record)).toEqual(expected);
  });

  it('FLD-4 keeps arrays of no objects and scalars whole', () => {
    expect(pick('tags.x,title.x,views.x,nothing.x,json.a', record)).toEqual({
      json: record.json,
      nothing: null,
      tags: record.tags,
      title: 'Hello',
      views: 3,
    });
    expect(pick('a.b', { a: [] })).toEqual({ a: [] });
    expect(pick('a.b', { a: [1, { b: 1, c: 2 }] })).toEqual({ a: [1, { b: 1, c: 2 }] });
    expect(pick('a.b', { a: [{ b: 1, c: 2 }, 1, null, [3]] })).toEqual({ a: [{ b: 1 }, 1, null, [3]] });
  });

  it('FLD-1 picks from each item of a list and keeps the envelope', () => {
    const list = { items: [record, { id: 'p2' }], page: 1, perPage: 30, totalItems: 2, totalPages: 1 };
    expect(pick('id', list)).toEqual({ ...list, items: [{ id: 'p1' }, { id: 'p2' }] });
    expect(pick('items,page', list)).toEqual({ ...list, items: [{}, {}] });
    expect(pick('id', { ...list, items: [] })).toEqual({ ...list, items: [] });
  });

  it('FLD-1 takes an object that only resembles a list for an object', () => {
    const lookalike = { id: 'p1', items: [{ id: 1 }], page: 1, perPage: 30, totalItems: 2, totalPages: 1 };
    expect(pick('id,items', lookalike)).toEqual({ id: 'p1', items: [{ id: 1 }] });
    expect(pick('items', { items: 1, page: 1, perPage: 1, totalItems: 1, totalPages: 1 })).toEqual({ items: 1 });
    expect(pick('page', { items: [], page: 'x', perPage: 1, totalItems: 1, totalPages: 1 })).toEqual({ page: 'x' });
  });

  it('FLD-1 picks from each element of an array, and from nothing else', () => {
    expect(pick('status', [{ body: null, status: 204 }, 'x', null])).toEqual([{ status: 204 }, 'x', null]);
    expect(pick('body.id', [{ body: { id: 1, a: 2 }, status: 200 }])).toEqual([{ body: { id: 1 } }]);
    expect(pick('id', 'text')).toBe('text');
    expect(pick('id', null)).toBeNull();
  });

  it('FLD-5 cuts texts where it is asked to', () => {
    const data = {
      body: '<p>One <b>two</b></p><p>three</p>',
      id: 'p1',
      list: ['<i>x</i>'],
      n: 12345,
      sub: { body: '<i>abcdef</i>' },
    };
    expect(pick('body:excerpt(7,true)', data)).toEqual({ body: 'One two...' });
    expect(pick('body:excerpt(100, true),id', data)).toEqual({ body: 'One two three', id: 'p1' });
    expect(pick(' body : excerpt ( 7 ) ', data)).toEqual({ body: 'One two' });
    expect(pick('sub.body:excerpt(3)', data)).toEqual({ sub: { body: 'abc' } });
    expect(pick('*:excerpt(3,true)', data)).toEqual({
      body: 'One...',
      id: 'p1',
      list: ['<i>x</i>'],
      n: 12345,
      sub: data.sub,
    });
    expect(pick('*:excerpt(3),body,sub.body', data)).toEqual({ ...data, id: 'p1' });
    expect(pick('sub:excerpt(3),n:excerpt(2),list:excerpt(1)', data)).toEqual({
      sub: data.sub,
      n: 12345,
      list: ['<i>x</i>'],
    });
  });

  it('FLD-5 adds an ellipsis for words that mean true, else none', () => {
    const body = { body: 'abcdef' };
    for (const word of ['1', 't', 'T', 'true', 'True', 'TRUE'])
      expect(pick(`body:excerpt(3,${word})`, body)).toEqual({ body: 'abc...' });
    for (const word of ['', '0', 'f', 'false', 'yes', 'on', '2'])
      expect(pick(`body:excerpt(3,${word})`, body)).toEqual({ body: 'abc' });
  });

  it('OPS-39 asks no object for each of thousands of keys', () => {
    let lookups = 0;
    const counted = (object: object) =>
      new Proxy(object, {
        getOwnPropertyDescriptor: (target, key) => {
          lookups += 1;
          return Reflect.getOwnPropertyDescriptor(target, key);
        },
      });
    const elements = Array.from({ length: 100 }, (_, index) => counted({ other: 1, [`k${index}`]: index }));
    const fields = Array.from({ length: 2_000 }, (_, index) => `doc.k${index}`).join(',');
    const expected = Array.from({ length: 100 }, (_, index) => ({ [`k${index}`]: index }));
    expect(pick(fields, { doc: elements })).toEqual({ doc: expected });
    expect(lookups).toBeLessThan(1_000);
  });

  it('FLD-2 keeps the order of the paths, however many they are', () => {
    for (const count of [3, 300]) {
      const names = Array.from({ length: count }, (_, index) => `k${(index * 7) % count}`);
      const object = Object.fromEntries(names.toReversed().map((name) => [name, 1]));
      expect(Object.keys(pick(names.join(','), object) as object)).toEqual([...new Set(names)]);
    }
  });

  it('leaves the answer itself unchanged', () => {
    const before = JSON.stringify(record);
    const picked = pick('*,expand.author.name,title:excerpt(1)', record) as typeof record;
    picked.expand.author.name = 'changed';
    expect(JSON.stringify(record)).toBe(before);
  });

  it('keeps a key __proto__ of data a key', () => {
    const data = JSON.parse('{"json":{"__proto__":{"a":1},"b":2}}') as object;
    expect(JSON.stringify(pick('json.*', data))).toBe('{"json":{"__proto__":{"a":1},"b":2}}');
    expect(JSON.stringify(pick('json.__proto__.a', data))).toBe('{"json":{"__proto__":{"a":1}}}');
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});

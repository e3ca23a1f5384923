import { describe, expect, it } from 'vitest';
import { BadRequestError } from '../../src/kernel/errors/bad-request.error.js';
import { relation, TestDatabase } from './test-database.js';

const db = new TestDatabase({
  owners: { fields: { name: 'text', born: 'date', place: 'geoPoint' } },
  posts: {
    fields: {
      title: 'text',
      zip: 'text',
      code: 'text',
      total: 'number',
      other: 'number',
      active: 'bool',
      day: 'date',
      data: 'json',
      place: 'geoPoint',
      labels: { type: 'select', values: ['a', 'b', '5'], maxSelect: 3 },
      kind: { type: 'select', values: ['a', '5'] },
      rel: relation('owners'),
      rels: relation('owners', 5),
    },
  },
  counted: {
    type: 'view',
    viewQuery: 'SELECT id, zip, count(*) + 9 AS least FROM posts GROUP BY id',
    fields: { zip: 'text', least: 'number' },
  },
});
db.insert('owners', {
  o1: { name: 'One', born: '2025-01-31 09:00:00.000Z', place: { lon: 23.23033854945808, lat: 42.713146090563384 } },
  o2: { name: 'Two', born: '2026-01-01 00:00:00.000Z' },
});
const rows = {
  zero: {},
  full: {
    title: 'Ab_c%d\\e',
    zip: '10115',
    code: 'x',
    total: 5,
    other: 5,
    active: true,
    day: '2025-01-31 09:00:00.000Z',
    data: { n: 5, s: '5', t: true, z: null, e: '', list: [1, 'a', null], deep: { x: [{ y: 'in' }] } },
    place: { lon: 23.44920680886216, lat: 42.7078484153991 },
    labels: ['a', '5'],
    kind: '5',
    rel: 'o1',
    rels: ['o1', 'o2'],
  },
  text: { title: 'abc', zip: '5', code: '5', total: -2.5, data: 'abc', labels: ['5'] },
  odd: { title: 'É', zip: '5.0', total: 1e21, data: [1, 2], other: 1e21 },
};
db.insert('posts', rows);
const find = (filter: string) => db.list('posts', filter);
const ALL = ['zero', 'full', 'text', 'odd'];

describe('comparisons', () => {
  it('CMP-1 numbers become text for text columns', () => {
    expect(find('zip = 10115')).toEqual(['full']);
    expect(find('10115 = zip')).toEqual(['full']);
    expect(find('zip = 10115.0')).toEqual(['full']);
    expect(find('zip = 5')).toEqual(['text']);
    expect(find('zip > 4')).toEqual(['text', 'odd']);
    expect(find('kind = 5')).toEqual(['full']);
  });

  it('CMP-1 text becomes a number for number and bool columns', () => {
    expect(find("total = '5' && total = '5.0' && total = '+5e0'")).toEqual(['full']);
    expect(find("total > '4'")).toEqual(['full', 'odd']);
    expect(find("active = '1'")).toEqual(['full']);
    expect(find('active = true && active != false && active = 1')).toEqual(['full']);
    expect(find("active = 'true'")).toEqual([]);
  });

  it('CMP-1 JSON and computed values are not converted', () => {
    expect(find("data.n = 5 && data.n != '5'")).toEqual(['full']);
    expect(find("data.s = '5' && data.s != 5")).toEqual(['full']);
    expect(find("labels:length = '2'")).toEqual([]);
    expect(find('labels:length = 2')).toEqual(['full']);
    expect(find("'5' = 5")).toEqual([]);
    expect(find("title:lower = 'abc'")).toEqual(['text']);
  });

  it('CMP-1 columns of different classes', () => {
    expect(find('total = zip && total != 0')).toEqual([]);
    expect(find('zip > total && zip != ""')).toEqual(['full', 'text']);
    expect(find('code >= total && total = -2.5')).toEqual(['text']);
    expect(find('total = other && total != 0')).toEqual(['full', 'odd']);
    expect(find('zip = code')).toEqual(['zero', 'text']);
    expect(find('data.s = kind')).toEqual(['full']);
    expect(find('data.n = total && data.n = other')).toEqual(['full']);
  });

  it('CMP-1 numbers that a view computes are numbers of a column', () => {
    expect(db.list('counted', 'zip < least && zip != ""')).toEqual(['odd', 'text']);
    expect(db.list('counted', 'least <= zip && zip != ""')).toEqual(['full']);
    expect(db.list('counted', "least > '9' && least = '10' && least != zip && zip > ''")).toEqual([
      'full',
      'odd',
      'text',
    ]);
  });

  it('CMP-2 nothing before numbers before text', () => {
    expect(find("total < 'abc'")).toEqual(ALL);
    expect(find("total = 'abc'")).toEqual([]);
    expect(find("data.n < 'a'")).toEqual(['full']);
    expect(find('data.s > 100')).toEqual(['full']);
    expect(find("1 < ''")).toEqual(ALL);
  });

  it('CMP-3 text by bytes', () => {
    expect(find("title = 'ABC'")).toEqual([]);
    expect(find("title > 'a'")).toEqual(['text', 'odd']);
  });

  it('CMP-4 complete moments are converted, prefixes are not', () => {
    expect(find("day = '2025-01-31T10:00:00+01:00'")).toEqual(['full']);
    expect(find("'2025-01-31T09:00:00Z' = day && day = '2025-01-31T09:00:00.000'")).toEqual(['full']);
    expect(find("day = '2025-01-31 09:00:00.000Z' && day = '2025-01-31 09:00:00Z'")).toEqual(['full']);
    expect(find("day >= '2025-01' && day < '2025-02'")).toEqual(['full']);
    expect(find("day >= '2025-01-31' && day > '2025-01-31 09:00'")).toEqual(['full']);
    expect(find("day ~ '2025-01-31T'")).toEqual([]);
    expect(find("@now > '2026-03-04T06:06:07+01:00' && @now < '2026-03-04T05:06:08Z'")).toEqual(ALL);
    expect(find("title = '2025-01-31T10:00:00+01:00' || data.s = '2025-01-31T10:00:00+01:00'")).toEqual([]);
    expect(find("rel.born = '2025-01-31T10:00:00+01:00'")).toEqual(['full']);
    expect(find("day != '2025-13-31T10:00:00Z' && day > '2025-13-31T10:00:00Z'")).toEqual([]);
  });

  it('CMP-5 CMP-6 empty values', () => {
    expect(find("total = '' || total = null")).toEqual([]);
    expect(find("total != '' && total != null")).toEqual(ALL);
    expect(find('active = null')).toEqual([]);
    expect(find("title = '' && title = null && null = title")).toEqual(['zero']);
    expect(find("title != ''")).toEqual(['full', 'text', 'odd']);
    expect(find('data = null')).toEqual(['zero']);
    expect(find('data.z = null && data.nothing = null && data.e != null')).toEqual(['full']);
    expect(find("data.e = ''")).toEqual(['full']);
    expect(find("data.z = ''")).toEqual([]);
    expect(find("rel.name = ''")).toEqual(['zero', 'text', 'odd']);
    expect(find("rel.name != 'x'")).toEqual(ALL);
    expect(find("rel.born != '2020'")).toEqual(ALL);
    expect(find("'' = null && null = null && '' = ''")).toEqual(ALL);
    expect(find("'' != null || '' = 'x' || null = 0")).toEqual([]);
    expect(find("'' != 'x' && null != 'x' && null != 0")).toEqual(ALL);
    expect(find('title = rel.name')).toEqual(['zero']);
    expect(find('title != rel.name')).toEqual(['full', 'text', 'odd']);
  });

  it('CMP-7 NULL is on no side of an order', () => {
    expect(find("rel.name > '' || rel.name <= 'zzz'")).toEqual(['full']);
    expect(find("day > ''")).toEqual(['full']);
    expect(find('data.z < 1 || data.z >= 0 || total > null || null < 1')).toEqual([]);
    expect(find("title >= ''")).toEqual(ALL);
  });

  it('CMP-8 CMP-9 contains', () => {
    expect(find("title ~ 'AB'")).toEqual(['full', 'text']);
    expect(find("title !~ 'AB'")).toEqual(['zero', 'odd']);
    expect(find("title ~ 'é'")).toEqual([]);
    expect(find("title ~ ''")).toEqual(ALL);
    expect(find("rel.name ~ '' || rel.name !~ 'x'")).toEqual(['full']);
    expect(find('title ~ null || title !~ null')).toEqual([]);
    expect(find('total ~ 5')).toEqual(['full', 'text']);
    expect(find('zip ~ kind && kind != ""')).toEqual(['full']);
    expect(find("'10115' ~ zip && zip != ''")).toEqual(['full', 'text']);
    expect(find('data.list ~ \'"a"\'')).toEqual(['full']);
    expect(find('active ~ true && 10 ~ true && 1 ~ "%1"')).toEqual(['full']);
  });

  it.each([
    ['b_c', ['full']],
    ['b%c', ['full', 'text'].slice(2)],
    ['ab%c', ['text']],
    ['Ab_c%', ['full']],
    ['%b_c', []],
    ['c\\%d', ['full']],
    ['%c\\%d%', ['full']],
    ['d\\e', ['full']],
    ['\\\\', ['full']],
    ['d\\', ['full']],
    ['%d\\', []],
    ['d\\\\e', ['full']],
  ])('CMP-8 %s as a pattern', (text, found) => {
    expect(find(`title ~ ${JSON.stringify(text)}`)).toEqual(found);
  });

  it('CMP-5 §10 kinds: whole lists, points and JSON are their compact text', () => {
    expect(find('labels = \'["a","5"]\'')).toEqual(['full']);
    expect(find("labels = '[]'")).toEqual(['zero', 'odd']);
    expect(find(`place = '{"lon":0,"lat":0}'`)).toEqual(['zero', 'text', 'odd']);
    expect(find("data = 'abc'")).toEqual(['text']);
    expect(find("data = '[1,2]'")).toEqual(['odd']);
    expect(find(`data.deep = '{"x":[{"y":"in"}]}' && data.deep.x.0.y = 'in'`)).toEqual(['full']);
    expect(find('data.t = true && data.t = 1')).toEqual(['full']);
    expect(find('data.0 = 1 && data.1 = 2 && data.2 = null')).toEqual(['odd']);
    expect(find('place.lon > 23 && place.lat > 42 && place.nothing = null')).toEqual(['full']);
  });

  it('REF-10 :each, :length and :lower on JSON', () => {
    expect(find('data.list:each ?= 1')).toEqual(['full']);
    expect(find("data.list:each ?= 'a' && data.list:each = 1")).toEqual([]);
    expect(find('data:each < 10')).toEqual(['odd']);
    expect(find("data:each = 'abc'")).toEqual(['text']);
    expect(find('data.list:length = 3')).toEqual(['full']);
    expect(find('data:length = 2')).toEqual(['odd']);
    expect(find('data:length = 0 && data.n:length = 0 && data.nothing:length = 0')).toEqual(['zero', 'full', 'text']);
    expect(find("data.deep.x.0.y:lower = 'in'")).toEqual(['full']);
    expect(find('kind:length = 1 && rel:length = 1 && rels:length = 2')).toEqual(['full']);
    expect(find('kind:length = 0 && rel:length = 0')).toEqual(['zero', 'text', 'odd']);
    expect(find("kind:each = '5' && rel:each = 'o1'")).toEqual(['full']);
  });
});

describe('functions and macros', () => {
  it('FN-1 the distance of two points', () => {
    const there = '23.23033854945808, 42.713146090563384';
    expect(
      find(
        `geoDistance(${there}, place.lon, place.lat) > 17.885 && geoDistance(${there}, place.lon, place.lat) < 17.895`,
      ),
    ).toEqual(['full']);
    expect(find('geoDistance(place.lon, place.lat, place.lon, place.lat) = 0')).toEqual(ALL);
    expect(find('geoDistance(title, 1, 2, 3) = null')).toEqual(ALL);
    expect(find("geoDistance(title, 1, 2, 3) = ''")).toEqual([]);
    expect(find(`geoDistance(rels.place.lon, rels.place.lat, ${there}) = 0`)).toEqual(['full']);
    expect(find(`geoDistance(rel.place.lon, rel.place.lat, ${there}) != 0`)).toEqual(['zero', 'text', 'odd']);
  });

  it.each([
    'geoDistance(1,2,3) = 1',
    "geoDistance('1',2,3,4) = 1",
    'geoDistance(1,2,3,4,5) = 1',
    'strftime(1) = 1',
    'strftime(title) = 1',
    'abs(1) = 1',
    "strftime('%Y', strftime('%Y')) = 1",
  ])('FN-1 FN-2 FN-3 %s is an error', (filter) => {
    expect(() => find(filter)).toThrow(BadRequestError);
  });

  it('FN-2 times as text', () => {
    expect(find("strftime('%Y-%m', day) = '2025-01'")).toEqual(['full']);
    expect(find("strftime('%Y', day) = ''")).toEqual(['zero', 'text', 'odd']);
    expect(find("strftime('%Y', day) != '2024'")).toEqual(ALL);
    expect(find("strftime('%Y-%m-%d %H:%M:%S') = '2026-03-04 05:06:07'")).toEqual(ALL);
    expect(find("strftime('%Y', 'NOW', '-1 year') = '2025'")).toEqual(ALL);
    expect(find("strftime('%s', 0, 'unixepoch', '+1 day') = '86400'")).toEqual(ALL);
    expect(find("strftime('%Y', rels.born) ?= '2025'")).toEqual(['full']);
    expect(find("strftime('%Y', rels.born) = '2025'")).toEqual([]);
    expect(find("strftime('%Y', rels.born) >= '2025' && rels:length > 0")).toEqual(['full']);
    expect(find("strftime('%Y', @yesterday) = '2026'")).toEqual(ALL);
  });

  it('FN-2 the present time is that of the request, wherever the word for it comes from', () => {
    const now = new TestDatabase({ words: { fields: { word: 'text', data: 'json' } } });
    now.insert('words', {
      text: { word: 'Now' },
      fraction: { word: 'subsec' },
      json: { data: { at: 'now' } },
      day: { word: '2026-03-04' },
    });
    const hour = (time: string) => `strftime('%Y-%m-%d %H', ${time}) = '2026-03-04 05'`;
    expect(now.list('words', hour('word'))).toEqual(['text', 'fraction']);
    expect(now.list('words', hour('data.at'))).toEqual(['json']);
    expect(now.list('words', hour("'subsecond'"))).toHaveLength(4);
    const asked = (time: string) =>
      now.passing('words', hour('@request.query.time'), now.caller(null, { query: { time } }));
    expect(asked('now')).toHaveLength(4);
    expect(asked('2026-03-04 05:00:00')).toHaveLength(4);
    expect(asked('never')).toEqual([]);
  });

  it('REF-9 REF-10 macros', () => {
    expect(find("@now = '2026-03-04 05:06:07.089Z' && @todayStart = '2026-03-04 00:00:00.000Z'")).toEqual(ALL);
    expect(find("@tomorrow > @now && @yesterday < @now && @monthEnd = '2026-03-31 23:59:59.999Z'")).toEqual(ALL);
    expect(
      find('@second = 7 && @minute = 6 && @hour = 5 && @day = 4 && @month = 3 && @weekday = 3 && @year = 2026'),
    ).toEqual(ALL);
    expect(find('day > @yearStart || @yearEnd < @now')).toEqual([]);
  });
});

describe('SQL', () => {
  it('SQL-1 values are parameters whatever they hold', () => {
    const nasty = [`'"; DROP TABLE posts; --`, '" OR 1=1 --', '?', '$1', '%', "a'b", 'ünï\u2028'];
    for (const value of nasty) {
      const { sql, params } = db
        .statements('posts', `title = ${JSON.stringify(value)} || data.x = ${JSON.stringify(value)}`)
        .count();
      expect(sql).not.toContain(value === '?' || value === '%' ? `'${value}` : value);
      expect(params).toContain(value);
      expect(find(`title = ${JSON.stringify(value)}`)).toEqual([]);
    }
  });

  it('SQL-2 equal expressions give equal text, whatever their values', () => {
    const sql = (filter: string) => db.statements('posts', filter).page(0).sql;
    expect(sql("rels.name ?= 'a' && title ~ 'b'")).toBe(sql("rels.name ?= 'c' && title ~ 'd%'"));
    expect(sql("title = 'a'")).not.toBe(sql("title = ''"));
  });
});

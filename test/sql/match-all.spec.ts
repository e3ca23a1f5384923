import { describe, expect, it } from 'vitest';
import { relation, TestDatabase } from './test-database.js';

const db = new TestDatabase({
  tags: { fields: { name: 'text', hot: 'bool' } },
  users: { type: 'auth', fields: { name: 'text', email: 'email' } },
  teams: { fields: { name: 'text' } },
  members: {
    fields: { team: relation('teams'), user: relation('users'), role: 'text' },
  },
  badges: {
    fields: { team: relation('teams'), name: 'text' },
    indexes: ['CREATE UNIQUE INDEX `one_badge` ON `badges` (`team`)'],
  },
  posts: {
    fields: {
      title: 'text',
      team: relation('teams'),
      tags: relation('tags', 9),
      labels: { type: 'select', values: ['a', 'b', 'c'], maxSelect: 3 },
      data: 'json',
    },
  },
});
db.insert('tags', { x: { name: 'x', hot: true }, y: { name: 'y' }, xy: { name: 'xy', hot: true } });
db.insert('users', { ann: { name: 'Ann' }, bob: { name: 'Bob' } });
db.insert('teams', { red: { name: 'Red' }, blue: { name: 'Blue' }, empty: { name: 'Empty' } });
db.insert('members', {
  m1: { team: 'red', user: 'ann', role: 'admin' },
  m2: { team: 'red', user: 'bob', role: 'guest' },
  m3: { team: 'blue', user: 'bob', role: 'admin' },
});
db.insert('badges', { b1: { team: 'red', name: 'gold' } });
db.insert('posts', {
  none: { title: 'none' },
  x: { title: 'x', team: 'red', tags: ['x'], labels: ['a'], data: { list: [1, 2] } },
  xxy: { title: 'xxy', team: 'blue', tags: ['x', 'xy'], labels: ['a', 'b'], data: { list: [2] } },
  all: { title: 'all', team: 'empty', tags: ['x', 'y', 'xy'], labels: ['a', 'b', 'c'], data: { list: [] } },
});

const find = (filter: string) => db.list('posts', filter);

describe('operators over several values', () => {
  it('MM-3 an any-operator is content with one row', () => {
    expect(find("tags.name ?= 'x'")).toEqual(['x', 'xxy', 'all']);
    expect(find("tags.name ?= 'y'")).toEqual(['all']);
    expect(find("tags.name ?!= 'x'")).toEqual(['none', 'xxy', 'all']);
  });

  it('MM-4 a plain operator must hold for every row', () => {
    expect(find("tags.name = 'x'")).toEqual(['x']);
    expect(find("tags.name ~ 'x'")).toEqual(['x', 'xxy']);
    expect(find('tags.hot = true')).toEqual(['x', 'xxy']);
    expect(find("'x' = tags.name")).toEqual(['x']);
  });

  it('MM-4 two multi operands must hold for every pair', () => {
    expect(find('tags.id = tags.id')).toEqual(['none', 'x']);
    expect(find('tags.name != labels:each')).toEqual(['x', 'xxy', 'all']);
  });

  it('MM-5 without related rows there is one row of nothing', () => {
    expect(find("tags.name != 'x'")).toEqual(['none']);
    expect(find("tags.name = ''")).toEqual(['none']);
    expect(find("id = 'none' && (tags.name ~ 'x' || tags.name !~ 'x')")).toEqual([]);
    expect(find("labels:each = 'a'")).toEqual(['x']);
    expect(find('tags:length = 0')).toEqual(['none']);
  });

  it('MM-2 equal prefixes are the same row', () => {
    expect(find("tags.id ?= 'x' && tags.id ?= 'y'")).toEqual([]);
    expect(find("tags:each ?= 'x' && tags.name ?= 'x'")).toEqual(['x', 'xxy', 'all']);
    expect(find("tags.name ?= 'x' && tags:each ?= 'y'")).toEqual([]);
    expect(db.list('teams', "members_via_team.user ?= 'bob' && members_via_team.role ?= 'admin'")).toEqual(['blue']);
    expect(db.list('teams', "@collection.members.user ?= 'bob' && @collection.members.role ?= 'guest'")).toHaveLength(
      3,
    );
    const aliases = "@collection.members:a.role ?= 'guest' && @collection.members:b.role ?= 'admin'";
    expect(db.list('teams', `${aliases} && @collection.members:a.user ?= @collection.members:b.user`)).toHaveLength(3);
    expect(db.list('teams', `${aliases} && @collection.members:a.id ?= @collection.members:b.id`)).toEqual([]);
  });

  it('MM-1 a back-relation over a unique single relation is one value', () => {
    expect(db.list('teams', "badges_via_team.name != 'gold'")).toEqual(['blue', 'empty']);
    expect(db.list('teams', "members_via_team.role = 'admin'")).toEqual(['blue']);
    expect(db.list('tags', "posts_via_tags.title ?= 'xxy'")).toEqual(['x', 'xy']);
  });

  it('MM-6 any-operators on single values are the plain ones', () => {
    expect(find("team.name ?= 'Red'")).toEqual(['x']);
    expect(find("title ?~ 'x'")).toEqual(['x', 'xxy']);
  });

  it('MM-7 a multi field named as a whole is JSON text, except for its items', () => {
    expect(find('labels ~ \'a","b\'')).toEqual(['xxy', 'all']);
    expect(find('labels = \'["a"]\'')).toEqual(['x']);
    expect(find("tags ?= 'x' && tags ?= 'y'")).toEqual(['all']);
    expect(find("labels ?!= 'a'")).toEqual(['xxy', 'all']);
  });
});

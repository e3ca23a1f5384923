import { describe, expect, it } from 'vitest';
import type { Collection } from '../kernel/collections/collection.js';
import { adviceOn, type Findings } from './advice.js';

const DAY = 86_400_000;
const locked = { listRule: null, viewRule: null, createRule: null, updateRule: null, deleteRule: null };
const posts = {
  ...locked,
  id: 'p',
  name: 'posts',
  type: 'base',
  indexes: ['CREATE INDEX `a` ON `posts` (`Author`, x)', 'CREATE INDEX b ON posts (title, editor)'],
  fields: ['author', 'editor'].map((name) => ({ name, type: 'relation' })),
};
const given = (own: Partial<Findings>, collection: object = posts): Findings => ({
  collections: [collection as Collection],
  sizes: [{ id: 'p', name: 'posts', records: 0, bytes: null }],
  lastBackup: 100 * DAY,
  hasSchedule: true,
  logs: { maxDays: 5, bytes: 1000 },
  now: 101 * DAY,
  ...own,
});
const texts = (findings: Findings) => adviceOn(findings).map(({ kind, message }) => `${kind}: ${message}`);

describe('advice', () => {
  it('UI-80 has none where all is well', () => {
    expect(texts(given({}))).toEqual([]);
    expect(texts(given({ lastBackup: undefined }))).toEqual([]);
  });

  it('UI-80 names relations of large collections with which no index begins', () => {
    const large = given({ sizes: [{ id: 'p', name: 'posts', records: 10_000, bytes: null }] });
    expect(adviceOn(large)).toMatchObject([{ kind: 'missingIndex', collection: 'posts' }]);
    expect(texts(large)[0]).toContain('posts.editor has no index');
  });

  it('UI-80 names rules that let everyone write, except for signing up', () => {
    expect(texts(given({}, { ...posts, updateRule: '', listRule: '' }))).toEqual([
      'publicRule: Everyone can change records of posts, without signing in.',
    ]);
    const members = { ...posts, type: 'auth', createRule: '', deleteRule: '' };
    expect(texts(given({}, members))).toEqual([
      'publicRule: Everyone can delete records of posts, without signing in.',
    ]);
  });

  it('UI-80 asks for backups', () => {
    expect(texts(given({ lastBackup: null, hasSchedule: false }))).toEqual([
      'backup: There is no backup, and none is scheduled.',
    ]);
    expect(texts(given({ lastBackup: 90 * DAY }))).toEqual(['backup: The last backup is 11 days old.']);
  });

  it('UI-80 looks at the logs', () => {
    expect(texts(given({ logs: { maxDays: 0, bytes: 0 } }))).toEqual(['logs: Nothing is logged: logs.maxDays is 0.']);
    expect(texts(given({ logs: { maxDays: 30, bytes: 2 * 1024 ** 3 } }))[0]).toContain('The logs take 2.0 GiB.');
  });
});

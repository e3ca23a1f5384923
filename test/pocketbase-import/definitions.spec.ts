import { describe, expect, it } from 'vitest';
import {
  account,
  ACCOUNT,
  accountIndexes,
  authOptions,
  type Definition,
  ID,
  plain,
  text,
  TIME,
  TIMES,
} from '../support/pocketbase-directory.js';
import { carriedOver } from './support/carried-over.js';

const base = (name: string, more: Partial<Definition> = {}): Definition => ({
  id: `pbc_${name}`,
  name,
  type: 'base',
  fields: [ID, text('a'), ...TIMES],
  ...more,
});
/** The lines that tell of one collection; NULLs of the fixture's own tables aside. */
const about = (lines: readonly string[], name: string) => lines.filter((line) => line.startsWith(`collection ${name}`));

describe('definitions that come from PocketBase', () => {
  it('OPS-165 says nothing of what is as it was', async () => {
    const { report, definitions } = await carriedOver(
      base('plain', { indexes: ['CREATE INDEX `idx_a` ON `plain` (`a`)'], listRule: '', viewRule: null }),
    );
    expect(about(report.changed, 'plain')).toEqual([]);
    // The rules of the fixture's own system collections are not those PocketBase has.
    expect(report.changed.filter((line) => !/was NULL|^collection _\w+: \w+Rule was null/.test(line))).toEqual([]);
    expect(report.definitions).toBe(9);
    expect(definitions['plain']).toMatchObject({ listRule: '', viewRule: null });
  });

  it('OPS-165 takes the quotes of a query builder', async () => {
    const { report, definitions, records } = await carriedOver(
      base('bills', {
        indexes: [
          "CREATE UNIQUE INDEX i ON {{bills}} ([[a]] COLLATE NOCASE) WHERE [[a]] != ''",
          'CREATE INDEX j ON {{bills}} (lower([[a]]))',
        ],
        rows: [{ id: 'bill00000000001', a: 'x', created: TIME, updated: TIME }],
      }),
      {
        id: 'pbc_tx',
        name: 'tx',
        type: 'view',
        fields: [],
        options: { viewQuery: "SELECT [[b.id]], [[b]].[[a]], '[[a]]' AS [[x]] FROM {{bills}} {{b}} -- [[c]]" },
      },
    );
    expect(definitions['bills']!.indexes).toEqual([
      "CREATE UNIQUE INDEX i ON `bills` (`a` COLLATE NOCASE) WHERE `a` != ''",
      'CREATE INDEX j ON `bills` (lower(`a`))',
    ]);
    expect(definitions['tx']!.viewQuery).toBe("SELECT `b`.`id`, `b`.`a`, '[[a]]' AS `x` FROM `bills` `b` -- [[c]]");
    expect(records['tx']).toMatchObject([{ id: 'bill00000000001', a: 'x', x: '[[a]]' }]);
    expect([...about(report.changed, 'bills'), ...about(report.changed, 'tx')]).toEqual([]);
  });

  it('OPS-165 COL-45 carries a number called updated over as it is', async () => {
    const { report, definitions, records } = await carriedOver(
      base('clocks', {
        fields: [ID, plain('number', 'updated', { onlyInt: true, min: null, max: null }), TIMES[0]!],
        rows: [{ id: 'clock0000000001', updated: 1_700_000_000_123, created: TIME }],
      }),
    );
    expect(definitions['clocks']!.fields.map(({ name, type }) => [name, type])).toEqual([
      ['id', 'text'],
      ['updated', 'number'],
      ['created', 'autodate'],
    ]);
    expect(records['clocks']).toMatchObject([{ updated: 1_700_000_000_123, created: TIME }]);
    expect(about(report.changed, 'clocks')).toEqual([]);
  });

  it('OPS-165 COL-97 carries renamed times and other ids over, users included', async () => {
    const { report, definitions, records } = await carriedOver({
      id: '_pb_users_auth_',
      name: 'users',
      type: 'auth',
      fields: [ID, ...ACCOUNT, text('name', { id: 'users_name' }), { ...TIMES[0]!, name: 'createdAt', system: false }],
      indexes: accountIndexes('users', '_pb_users_auth_'),
      options: authOptions(),
      rows: [
        { id: 'user00000000001', email: 'ann@example.com', tokenKey: 'k'.repeat(50), name: 'Ann', createdAt: TIME },
      ],
    });
    const { fields } = definitions['users']!;
    expect(fields.find(({ name }) => name === 'name')).toMatchObject({ id: 'users_name' });
    expect(fields.find(({ name }) => name === 'createdAt')).toMatchObject({ id: TIMES[0]!['id'], system: false });
    expect(records['users']).toMatchObject([{ name: 'Ann', createdAt: TIME }]);
    expect(about(report.changed, 'users').sort()).toEqual([
      'collection users, field created: no record has a value',
      'collection users, field created: was not there, is "autodate"',
      'collection users, field updated: no record has a value',
      'collection users, field updated: was not there, is "autodate"',
    ]);
  });

  it('OPS-165 COL-30 leaves a collection that somebody marked as system its rules and indexes', async () => {
    const { report, definitions } = await carriedOver(
      base('fixed', {
        system: true,
        listRule: '',
        viewRule: 'a = "x"',
        indexes: ['CREATE UNIQUE INDEX `idx_fixed` ON `fixed` (`a`)'],
      }),
    );
    expect(definitions['fixed']).toMatchObject({ system: true, listRule: '', viewRule: 'a = "x"' });
    expect(definitions['fixed']!.indexes).toEqual(['CREATE UNIQUE INDEX `idx_fixed` ON `fixed` (`a`)']);
    expect([...about(report.changed, 'fixed'), ...about(report.notCarriedOver, 'fixed')]).toEqual([]);
  });

  it('OPS-165 names what it changes and what it leaves out, with the old and the new value', async () => {
    const [created, updated] = TIMES;
    const { report } = await carriedOver(
      base('notes', {
        fields: [ID, text('a', { novelty: 'x' }), { ...created!, system: false }, { ...updated!, onCreate: false }],
        options: { novelty: { enabled: true } },
      }),
      {
        id: 'pbc_3142635823',
        name: '_superusers',
        type: 'auth',
        system: true,
        fields: [ID, ...ACCOUNT, text('nick'), ...TIMES],
        listRule: '',
        indexes: [
          ...accountIndexes('_superusers', 'pbc_3142635823'),
          'CREATE INDEX `idx_nick` ON `_superusers` (`nick`)',
        ],
        options: authOptions({ otp: { enabled: true, duration: 180, length: 8 } }),
        rows: [account('root00000000001', 'root@example.com')],
      },
    );
    expect(about(report.changed, 'notes')).toEqual([
      'collection notes, field created: system was false, is true',
      'collection notes, field updated: onCreate was false, is true',
    ]);
    expect(about(report.notCarriedOver, 'notes')).toEqual([
      'collection notes: field a, option novelty, which was "x"',
      'collection notes: option novelty, which was {"enabled":true}',
    ]);
    expect(about(report.changed, '_superusers')).toEqual([
      'collection _superusers: listRule was "", is null',
      'collection _superusers: oauth2.enabled was true, is false',
      expect.stringContaining('collection _superusers: oauth2.providers was'),
      'collection _superusers: mfa.enabled was false, is true',
    ]);
    expect(about(report.notCarriedOver, '_superusers')).toEqual([
      'collection _superusers: index idx_nick, which was "CREATE INDEX `idx_nick` ON `_superusers` (`nick`)"',
    ]);
    expect(JSON.stringify(report)).not.toContain('client-secret');
  });
});

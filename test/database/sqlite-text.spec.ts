import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasWord, returnsRows, splitStatements, statementKind } from '../../src/database/sqlite/sqlite-text.js';

describe('the kind of a statement', () => {
  it.each([
    ['SELECT 1', 'read'],
    ['  -- INSERT\n /* UPDATE */ select 1', 'read'],
    ["VALUES ('INSERT')", 'read'],
    ['(SELECT 1)', 'write'],
    ['WITH a AS (SELECT \'DELETE\') SELECT "update" FROM a', 'read'],
    ['WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a', 'write'],
    ['WITH a AS (SELECT 1) DELETE FROM b', 'write'],
    ['EXPLAIN DELETE FROM a', 'read'],
    ['INSERT INTO a VALUES (1)', 'write'],
    ['REPLACE INTO a VALUES (1)', 'write'],
    ['CREATE TABLE a (b)', 'schema'],
    ['drop view a', 'schema'],
    ['BEGIN IMMEDIATE', 'transaction'],
    ['release x', 'transaction'],
    ['PRAGMA user_version', 'read'],
    ['PRAGMA table_info("a")', 'read'],
    ['PRAGMA main.index_xinfo(a)', 'read'],
    ['PRAGMA quick_check(1)', 'read'],
    ['PRAGMA user_version = 1', 'write'],
    ['PRAGMA wal_checkpoint(TRUNCATE)', 'write'],
    ['ATTACH x AS y', 'write'],
    ['-- nothing', 'empty'],
    ['', 'empty'],
  ])('%s', (text, kind) => {
    expect(statementKind(text)).toBe(kind);
  });

  it('tells whether there will be rows', () => {
    expect(returnsRows('SELECT 1')).toBe(true);
    expect(returnsRows('INSERT INTO a VALUES (1) RETURNING id')).toBe(true);
    expect(returnsRows("INSERT INTO a VALUES ('RETURNING')")).toBe(false);
    expect(returnsRows('PRAGMA journal_mode = WAL')).toBe(true);
    expect(returnsRows('CREATE TABLE a (b)')).toBe(false);
  });

  it('does not take quoted things for words', () => {
    expect(hasWord("SELECT \"where\", [where], `where`, 'it''s where' -- where\n/* where */", 'WHERE')).toBe(false);
    expect(hasWord('SELECT 1 wHeRe 1', 'WHERE')).toBe(true);
  });
});

describe('the statements of a text', () => {
  it('are separated by semicolons that mean something', () => {
    expect(splitStatements('SELECT \';\'; -- a;b\nSELECT ";" ;; /* ; */ ;SELECT 3')).toEqual([
      "SELECT ';'",
      '-- a;b\nSELECT ";"',
      'SELECT 3',
    ]);
    expect(splitStatements(' ; -- nothing')).toEqual([]);
  });

  it('include what is inside a trigger', () => {
    const trigger = 'CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; SELECT CASE 1 WHEN 1 THEN 2 END; END';
    expect(splitStatements(`${trigger}; SELECT 1`)).toEqual([trigger, 'SELECT 1']);
    const temporary = trigger.replace('TRIGGER', 'TEMP TRIGGER IF NOT EXISTS');
    expect(splitStatements(`EXPLAIN ${temporary};`)).toEqual([`EXPLAIN ${temporary}`]);
    expect(splitStatements('CREATE TABLE trigger_like (a); SELECT 1')).toHaveLength(2);
  });

  it('are found whatever stands in quotes and comments', () => {
    const text = fc.array(fc.constantFrom(';', "'", '"', 'a', '-', '*', '/', '[', ']', '`', '\n', ' '), {
      maxLength: 12,
    });
    const quoted = fc.oneof(
      text.map((parts) => `'${parts.join('').replaceAll("'", "''")}'`),
      text.map((parts) => `"${parts.join('').replaceAll('"', '""')}"`),
      text.map((parts) => `/*${parts.join('').replaceAll('/', '')} */`),
      text.map((parts) => `--${parts.join('').replaceAll('\n', '')}\n`),
    );
    const statement = fc.array(quoted, { maxLength: 5 }).map((parts) => `SELECT ${parts.join(' ')} x`);
    fc.assert(
      fc.property(fc.array(statement, { minLength: 1, maxLength: 5 }), (statements) => {
        expect(splitStatements(statements.join(';'))).toEqual(statements);
        for (const each of statements) expect(statementKind(each)).toBe('read');
      }),
    );
  });
});

import { expect, it } from 'vitest';
import { numberPlaceholders } from '../../src/database/postgres/postgres-spelling.js';

it.each([
  ['SELECT ? WHERE a = ?', 'SELECT $1 WHERE a = $2'],
  [`SELECT '?', "?" -- ?\n, ? /* ? */ FROM t`, `SELECT '?', "?" -- ?\n, $1 /* ? */ FROM t`],
  ["SELECT 'it''s ?', ?", "SELECT 'it''s ?', $1"],
  [`SELECT data ? 'key' WHERE id = $1`, `SELECT data ? 'key' WHERE id = $1`],
])('OPS-185 takes the places of values as they are written for either database: %j', (sql, numbered) => {
  expect(numberPlaceholders(sql)).toBe(numbered);
});

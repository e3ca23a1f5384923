import { describe, expect, it } from 'vitest';
import { withStoredNames } from '../../src/database/postgres/postgres-spelling.js';
import { shownName, storedName, withShownNames } from '../../src/kernel/sql/postgres-names.js';

const LONG = 'n'.repeat(64);
const MARKED = /^n{54}:[0-9a-f]{8}$/;

describe('COL-172 names in PostgreSQL', () => {
  it.each(['', 'posts', 'XMIN', 'n'.repeat(63), 'ü'.repeat(31)])('are %j where it takes that', (name) => {
    expect(storedName(name)).toBe(name);
    expect(shownName(name)).toBe(name);
  });

  it.each(['xmin', 'ctid', 'tableoid', LONG, 'ü'.repeat(32), `n${'😀'.repeat(20)}`])('stand for %j', (name) => {
    const stored = storedName(name);
    expect(Buffer.byteLength(stored)).toBeLessThanOrEqual(63);
    expect(stored).toMatch(/^\w*(?:ü|😀)*:[0-9a-f]{8}$/u);
    expect(storedName(name)).toBe(stored);
    expect(shownName(stored)).toBe(name);
  });

  it('differ where the names differ', () => {
    const names = [LONG, `${LONG}a`, `${LONG}b`, LONG.toUpperCase()];
    expect(new Set(names.map(storedName)).size).toBe(names.length);
    expect(storedName(LONG)).toMatch(MARKED);
  });

  it('are told by what they stand for, in messages too', () => {
    const stored = storedName(`${LONG} and more`);
    expect(withShownNames(`column "${stored}" of relation "a:12345678" does not exist`)).toBe(
      `column "${LONG} and more" of relation "a:12345678" does not exist`,
    );
    expect(withShownNames(`column p.${storedName(LONG)} does not exist`)).toBe(`column p.${LONG} does not exist`);
  });

  it.each([
    ['SELECT xmin, a FROM t -- it is', 'SELECT xmin, a FROM t -- it is'],
    [
      `SELECT '${LONG}', E'\\'${LONG}', /* ${LONG} */ 1 -- ${LONG}`,
      `SELECT '${LONG}', E'\\'${LONG}', /* ${LONG} */ 1 -- ${LONG}`,
    ],
    [`SELECT t.${LONG} FROM "${LONG}" t`, `SELECT t."${storedName(LONG)}" FROM "${storedName(LONG)}" t`],
    [`SELECT ${LONG.toUpperCase()}`, `SELECT "${storedName(LONG)}"`],
    [`SELECT "${LONG.toUpperCase()}"`, `SELECT "${storedName(LONG.toUpperCase())}"`],
    [`SELECT "${LONG}""" FROM t`, `SELECT "${storedName(`${LONG}"`)}" FROM t`],
  ])('OPS-147 OPS-185 stand in statements of people: %j', (written, sent) => {
    expect(withStoredNames(written)).toBe(sent);
  });
});

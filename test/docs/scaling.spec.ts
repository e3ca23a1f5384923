import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NOT_ON_POSTGRES, REASONS } from '../support/not-on-postgres.js';

describe('what the tests leave out on PostgreSQL', () => {
  const text = readFileSync('docs/scaling.md', 'utf8').replaceAll(/\s+/g, ' ');

  it('SCALE-10 has reasons that are in the documents', () => {
    expect(Object.values(REASONS).filter((reason) => !text.includes(reason))).toEqual([]);
  });

  it('SCALE-10 is there', () => {
    const missing = Object.entries(NOT_ON_POSTGRES).flatMap(([file, excused]) => {
      if (!existsSync(file)) return [file];
      const source = readFileSync(file, 'utf8');
      // Names of tests that are made of a list have their end in it.
      const names = typeof excused === 'string' ? [] : Object.keys(excused);
      return names
        .filter((name) => !source.includes(name) && !name.includes(' can be '))
        .map((name) => `${file}: ${name}`);
    });
    expect(missing).toEqual([]);
  });
});

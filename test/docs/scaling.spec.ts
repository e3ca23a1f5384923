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
      const names = typeof excused === 'string' ? [] : Object.keys(excused);
      return names
        .filter((name) => !source.includes(name) && !madeOfLists(source).some((title) => title.test(name)))
        .map((name) => `${file}: ${name}`);
    });
    expect(missing).toEqual([]);
  });
});

/** The names of tests that a list fills in (`%s`, `$name`), each of which begins with what it is about. */
function madeOfLists(source: string): RegExp[] {
  const titles = [...source.matchAll(/'([A-Z]+-\d+ (?:[^'\\\n]|\\.)*(?:%s|\$\w+)(?:[^'\\\n]|\\.)*)'/g)].map(
    ([, title]) => title!,
  );
  return titles.map((title) => new RegExp(`^${escaped(title)}$`));
}

function escaped(title: string): string {
  return title.replace(/%s|\$\w+|[.*+?^${}()|[\]\\]/g, (part) => (part.length > 1 ? '.+' : `\\${part}`));
}

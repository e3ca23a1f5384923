import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

  it('AUTH-1703 is never the only test of a requirement of accounts', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const runs = scripts['test:postgres']!.split(' ').filter((word) => /^test\/(?!vitest)/.test(word));
    const requirements = (titles: readonly string[]) => new Set(titles.join(' ').match(/\bAUTH-\d+[a-z]?\b/g));
    const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.spec.ts'))
      .map((name) => `test/${name}`);
    const ofAccounts = files.filter((file) => file.startsWith('test/auth/')).flatMap(titlesOf);
    const onPostgres = files
      .filter((file) => runs.some((path) => file === path || file.startsWith(`${path}/`)))
      .flatMap((file) => {
        const excused = NOT_ON_POSTGRES[file] ?? {};
        if (typeof excused === 'string') return [];
        return titlesOf(file).filter((title) => !Object.keys(excused).some((name) => title.includes(name)));
      });
    expect(requirements(ofAccounts).size).toBeGreaterThan(100);
    const seen = requirements(onPostgres);
    expect([...requirements(ofAccounts)].filter((id) => !seen.has(id))).toEqual([]);
  });
});

/** The names of the tests of a file, those that a list fills in as they are written. */
function titlesOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/(['`])([A-Z]+-\d+(?:(?!\1)[^\\\n]|\\.)*)\1/g)].map(
    ([, , title]) => title!,
  );
}

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

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SPECS = import.meta.dirname;

/** What opens a page in Chromium, at a server that was started for it. */
const BROWSER = /from '\.\/support\/(?:admin-suite|browser)\.js'/;

it('OPS-211 everything that docs/reference/admin-ui.md lists has a test in Chromium', () => {
  const listed = readFileSync('docs/reference/admin-ui.md', 'utf8').match(/(?<=<a id=")UI-\d+(?=")/g)!;
  expect(listed.length).toBeGreaterThan(50);
  const tested = new Set<string>();
  for (const name of readdirSync(SPECS).filter((each) => each.endsWith('.spec.ts'))) {
    const text = readFileSync(join(SPECS, name), 'utf8');
    if (!BROWSER.test(text)) continue;
    // The names of tests begin with the ids that they prove.
    for (const [, ids] of text.matchAll(/['"`]((?:[A-Z]+-\d+[a-z]? )+)/g))
      for (const id of ids!.split(' ')) tested.add(id);
  }
  expect(listed.filter((id) => !tested.has(id))).toEqual([]);
});

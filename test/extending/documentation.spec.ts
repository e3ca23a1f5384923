import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compile, inProject } from '../support/compile.js';

const TEXT = readFileSync(inProject('docs/extending.md'), 'utf8');

/** Every snippet under the name of a file of its own, so that errors say where they are. */
function snippets(): Map<string, string> {
  const found = [...TEXT.matchAll(/^```ts\n(.*?)^```$/gms)];
  return new Map(
    found.map((match) => {
      const line = TEXT.slice(0, match.index).split('\n').length + 1;
      return [inProject(`test/extending/extending-md-line-${line}.ts`), match[1]!];
    }),
  );
}

describe('docs/extending.md', () => {
  it('EXT-1 shows code that compiles and imports nothing private', { timeout: 240_000 }, () => {
    const files = snippets();
    expect(files.size).toBeGreaterThan(12);
    expect(compile(files)).toEqual([]);
    const imported = [...files.values()].flatMap((code) =>
      [...code.matchAll(/from '([^']+)'/g)].map(([, name]) => name),
    );
    expect(imported.filter((name) => name!.startsWith('.') || name!.startsWith('roost/src'))).toEqual([]);
  });

  it('EXT-1 links only to sections it has', () => {
    const anchors = [...TEXT.matchAll(/^## (.+)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...TEXT.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!);
    expect(links).toEqual(anchors);
  });
});

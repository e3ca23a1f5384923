import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { publicMethods, SDK_VERSION } from './sdk-methods.js';

const PAGE = new URL('../../../docs/sdk-compatibility.md', import.meta.url);

/** Where the SDK was run; each place has a column of the page and a spec that owns it. */
const PLACES = ['Node.js', 'Chromium'] as const;
type Place = (typeof PLACES)[number];

/**
 * Fails when a method of the SDK is not among those that succeeded, and when the column of the place in
 * docs/sdk-compatibility.md is not what they make it. `UPDATE_SDK_TABLE=1` writes the column instead.
 */
export function expectOnPage(place: Place, succeeded: readonly string[]): void {
  const methods = publicMethods();
  expect(methods.length).toBeGreaterThan(80);
  expect(methods.filter((method) => !succeeded.includes(method))).toEqual([]);
  const text = render(methods, { ...columns(), [place]: new Set(succeeded) });
  if (process.env['UPDATE_SDK_TABLE']) writeFileSync(PAGE, text);
  expect(readFileSync(PAGE, 'utf8')).toBe(text);
}

type Columns = Readonly<Record<Place, ReadonlySet<string>>>;

/** The methods that work by place, as the page has them now. */
function columns(): Columns {
  const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `([^`]+)` *\|(.*)\|$/gm)].map(([, method, cells]) => ({
    method: method!,
    cells: cells!.split('|').map((cell) => cell.trim()),
  }));
  const worksIn = (index: number) => rows.filter(({ cells }) => cells[index] === 'works').map(({ method }) => method);
  return Object.fromEntries(PLACES.map((place, index) => [place, new Set(worksIn(index))])) as unknown as Columns;
}

function render(methods: readonly string[], places: Columns): string {
  const names = methods.map((method) => `\`${method}\``);
  const width = Math.max(...names.map((name) => name.length));
  const row = (name: string, cells: readonly string[]) =>
    `| ${name.padEnd(width)} | ${cells.map((cell, index) => cell.padEnd(PLACES[index]!.length)).join(' | ')} |`;
  return [
    '# The official SDK, method by method',
    '',
    `Every public method of the npm package \`pocketbase\` ${SDK_VERSION}, as it is published, called against a listening Roost:`,
    'from Node.js by `test/sdk/every-method.spec.ts`, and by `test/browser/every-method.spec.ts` from a page of another origin',
    "in Chromium, with the browser's own `fetch`, `EventSource`, `File` and popups.",
    'Each spec writes its column when `UPDATE_SDK_TABLE=1` is set, and fails when the column is out of date.',
    'What older versions of it and clients of other languages may notice is in',
    '[Moving from PocketBase](moving-from-pocketbase.md#what-differs-afterwards).',
    '',
    row('Method', PLACES),
    row(
      '-'.repeat(width),
      PLACES.map((place) => '-'.repeat(place.length)),
    ),
    ...methods.map((method, index) =>
      row(
        names[index]!,
        PLACES.map((place) => (places[place].has(method) ? 'works' : '')),
      ),
    ),
    '',
  ].join('\n');
}

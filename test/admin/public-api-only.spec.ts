import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const CLIENT = resolve(import.meta.dirname, '../../src/admin/client');
const KERNEL = resolve(import.meta.dirname, '../../src/kernel');
/** The version in the footer. */
const PACKAGE = resolve(import.meta.dirname, '../../package.json');

const files = readdirSync(CLIENT, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(CLIENT, name), 'utf8') }));

/** What files import, relative imports as paths. */
const imports = files.flatMap(({ name, text }) =>
  [...text.matchAll(/\bfrom '([^']+)'|\bimport\(?\s*'([^']+)'/g)].map(([, from, bare]) => {
    const target = (from ?? bare)!;
    return { name, target: target.startsWith('.') ? resolve(CLIENT, dirname(name), target) : target };
  }),
);

describe('the admin UI', () => {
  it('OPS-202 shares nothing with the server but the language of the kernel', () => {
    expect(imports.length).toBeGreaterThan(100);
    const foreign = imports.filter(
      ({ target }) =>
        target !== PACKAGE &&
        target.startsWith('/') &&
        !target.startsWith(`${CLIENT}/`) &&
        !target.startsWith(`${KERNEL}/`),
    );
    expect(foreign.map(({ name, target }) => `${name} imports ${relative(CLIENT, target)}`)).toEqual([]);
  });

  it('OPS-202 talks to the server through the official SDK', () => {
    expect(imports.some(({ target }) => target === 'pocketbase')).toBe(true);
    // A look whether the page is there again and at the own address, the search for places elsewhere, a picture to
    // copy.
    const known = [
      'app/crash-page.tsx',
      'app/insecure-banner.tsx',
      'fields/geo-point-input.tsx',
      'records/record-menu.tsx',
    ];
    const others = files.filter(({ text }) => /\bfetch\(|XMLHttpRequest|EventSource|WebSocket|sendBeacon/.test(text));
    expect(others.map(({ name }) => name).sort()).toEqual(known);
    for (const { text } of others) expect(text).not.toMatch(/\bfetch\([^)]*\/api\//);
  });
});

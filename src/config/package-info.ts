import { readFileSync } from 'node:fs';

/** The version of this package, from its package.json beside `dist` or `src`. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

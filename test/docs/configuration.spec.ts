import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { CONFIG_OPTIONS } from '../../src/config/config-options.js';
import { configurationDocument } from '../../src/config/configuration-document.js';

const PATH = new URL('../../docs/configuration.md', import.meta.url);

it('OPS-162 docs/configuration.md says what the code reads', async () => {
  const text = await format(configurationDocument(), { ...(await resolveConfig(PATH)), parser: 'markdown' });
  if (process.env['UPDATE_DOCS']) writeFileSync(PATH, text);
  expect(readFileSync(PATH, 'utf8')).toBe(text);
  for (const { variable } of CONFIG_OPTIONS) expect(text).toContain(`\`${variable}\``);
});

it('OPS-108 docs/production.md says that a backup is as confidential as the server', () => {
  const text = readFileSync(new URL('../../docs/production.md', import.meta.url), 'utf8');
  expect(text).toMatch(/backup is as confidential as the server/i);
  expect(text).toMatch(/locks/);
});

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

const PATH = fileURLToPath(new URL('../../src/admin/client/api/api-types.ts', import.meta.url));

const HEAD =
  '// Written by `UPDATE_API_TYPES=1 npx vitest run --config test/vitest.config.ts test/openapi/client-types`.\n';

/** The document without what depends on collections: those of an installation are unknown to the client. */
async function fixedSchemas(): Promise<object> {
  const roost = await startRoost();
  const { body } = await roost.inject({ url: '/api/openapi.json', token: await roost.createSuperuser() });
  await roost.close();
  const { openapi, info, components } = body as { openapi: string; info: object; components: { schemas: object } };
  const schemas = Object.entries(components.schemas).filter(([name]) => !name.includes('.'));
  return { openapi, info, paths: {}, components: { schemas: Object.fromEntries(schemas) } };
}

it('EXT-25 the types of the admin client are those of the document', async () => {
  const text = astToString(await openapiTS((await fixedSchemas()) as never));
  const options = await resolveConfig(PATH);
  const types = await format(HEAD + text, { ...options, filepath: PATH });
  if (process.env['UPDATE_API_TYPES']) writeFileSync(PATH, types);
  expect(readFileSync(PATH, 'utf8')).toBe(types);
});

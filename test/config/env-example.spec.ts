import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { envExample } from '../../src/config/env-example.js';

const PATH = new URL('../../.env.example', import.meta.url);

describe('.env.example', () => {
  it('OPS-162 lists every variable with its default', () => {
    if (process.env['UPDATE_ENV_EXAMPLE']) writeFileSync(PATH, envExample());
    expect(readFileSync(PATH, 'utf8')).toBe(envExample());
  });
});

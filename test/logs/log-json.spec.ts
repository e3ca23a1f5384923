import { expect, it } from 'vitest';
import { toJson } from '../../src/logs/log-json.js';

it('OPS-84 what JSON cannot say of an entry is kept as far as it can', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  expect(JSON.parse(toJson(circular))).toHaveProperty('unprintable');
  expect(JSON.parse(toJson({ seen: 1n }))).toEqual({ seen: '1' });
});

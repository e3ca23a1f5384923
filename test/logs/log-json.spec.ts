import { expect, it } from 'vitest';
import { toJson, toText } from '../../src/logs/log-json.js';

it('OPS-84 what JSON cannot say of an entry is kept as far as it can', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  expect(JSON.parse(toJson(circular))).toHaveProperty('unprintable');
  expect(JSON.parse(toJson({ seen: 1n }))).toEqual({ seen: '1' });
});

it('OPS-84 what a database may not take of an entry is no reason to write none', () => {
  const half = '\ud83d';
  expect(toJson({ url: 'a\0b', [half]: `${half}!`, whole: '\u{1f600}', escaped: String.raw`\u0000 \ud800` })).toBe(
    JSON.stringify({ url: 'a\ufffdb', '\ufffd': '\ufffd!', whole: '\u{1f600}', escaped: String.raw`\u0000 \ud800` }),
  );
  expect(toText(`a\0b${half} \u{1f600}`)).toBe('a\ufffdb\ufffd \u{1f600}');
});

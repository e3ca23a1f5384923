import { describe, expect, it } from 'vitest';
import { isDateMacro, isMacro, MACRO_NAMES, macroValue } from './macros.js';

const at = (text: string) => Date.parse(text);

describe('macros', () => {
  const saturday = at('2026-02-28T23:59:58.007Z');

  it.each<[string, string | number]>([
    ['@now', '2026-02-28 23:59:58.007Z'],
    ['@yesterday', '2026-02-27 23:59:58.007Z'],
    ['@tomorrow', '2026-03-01 23:59:58.007Z'],
    ['@todayStart', '2026-02-28 00:00:00.000Z'],
    ['@todayEnd', '2026-02-28 23:59:59.999Z'],
    ['@monthStart', '2026-02-01 00:00:00.000Z'],
    ['@monthEnd', '2026-02-28 23:59:59.999Z'],
    ['@yearStart', '2026-01-01 00:00:00.000Z'],
    ['@yearEnd', '2026-12-31 23:59:59.999Z'],
    ['@second', 58],
    ['@minute', 59],
    ['@hour', 23],
    ['@day', 28],
    ['@month', 2],
    ['@weekday', 6],
    ['@year', 2026],
  ])('REF-10 %s is %j', (name, value) => {
    expect(macroValue(name, saturday)).toBe(value);
    expect(isMacro(name)).toBe(true);
    expect(isDateMacro(name)).toBe(typeof value === 'string');
    expect(MACRO_NAMES).toContain(name);
  });

  it('REF-10 has these macros and no others', () => {
    expect(MACRO_NAMES).toHaveLength(16);
    for (const name of ['now', '@Now', '@nowx', '@todaystart', '@now:lower', '@request', '@constructor', '__proto__']) {
      expect(isMacro(name), name).toBe(false);
      expect(isDateMacro(name), name).toBe(false);
      expect(macroValue(name, saturday), name).toBeUndefined();
    }
  });

  it.each<[string, string, string | number]>([
    ['2024-02-29T12:00:00.000Z', '@tomorrow', '2024-03-01 12:00:00.000Z'],
    ['2024-02-01T12:00:00.000Z', '@monthEnd', '2024-02-29 23:59:59.999Z'],
    ['2025-12-31T23:59:59.999Z', '@tomorrow', '2026-01-01 23:59:59.999Z'],
    ['2025-12-31T23:59:59.999Z', '@monthEnd', '2025-12-31 23:59:59.999Z'],
    ['2026-01-01T00:00:00.000Z', '@yesterday', '2025-12-31 00:00:00.000Z'],
    ['2026-01-01T00:00:00.000Z', '@todayStart', '2026-01-01 00:00:00.000Z'],
    ['2026-03-01T00:00:00.000Z', '@weekday', 0],
    ['2026-03-01T00:00:00.000Z', '@hour', 0],
  ])('REF-10 at %s %s is %j', (now, name, value) => {
    expect(macroValue(name, at(now))).toBe(value);
  });

  it('REF-9 has one value per instant', () => {
    for (const name of MACRO_NAMES) expect(macroValue(name, saturday)).toBe(macroValue(name, saturday));
    expect(macroValue('@now', saturday + 1)).not.toBe(macroValue('@now', saturday));
  });
});

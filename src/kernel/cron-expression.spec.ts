import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CronExpression, isCronExpression } from './cron-expression.js';

const at = (text: string) => Date.parse(`${text}:00Z`);
const schedule = (text: string) => CronExpression.parse(text)!;
const nextOf = (text: string, after: string) => {
  const next = schedule(text).next(at(after));
  return next === undefined ? undefined : new Date(next).toISOString().slice(0, 16);
};

describe('schedules', () => {
  it.each([
    '* * * * *',
    '0 0 1 1 0',
    '59 23 31 12 6',
    '*/5 * * * *',
    '0-30/10 * * * *',
    '0,15,30-40,*/7 1-3,5 * 1-12/12 0-6',
    '05 * * * *',
    '*/59 */23 */31 */12 */6',
    '@yearly',
    '@annually',
    '@monthly',
    '@weekly',
    '@daily',
    '@midnight',
    '@hourly',
  ])('OPS-140 accepts %s', (text) => {
    expect(isCronExpression(text)).toBe(true);
    expect(schedule(text).text).toBe(text);
  });

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '*  * * * *',
    ' * * * * *',
    '* * * * * ',
    '*\t* * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 0 *',
    '* * * 13 *',
    '* * * * 7',
    '-1 * * * *',
    '5/2 * * * *',
    '*/0 * * * *',
    '*/60 * * * *',
    '0-5/60 * * * *',
    '5-1 * * * *',
    '1- * * * *',
    '-5 * * * *',
    '1,,2 * * * *',
    ',1 * * * *',
    '1.5 * * * *',
    '1-2-3 * * * *',
    '*/ * * * *',
    '*-5 * * * *',
    '* * * JAN *',
    '* * * * MON',
    '@reboot',
    '@every 5m',
    '@Daily',
    '@toString',
    'constructor',
  ])('OPS-140 refuses %j', (text) => {
    expect(isCronExpression(text)).toBe(false);
  });

  it('OPS-140 all five fields have to match, day and weekday both', () => {
    // 1 March 2024 was a Friday.
    expect(schedule('0 0 1 * 5').matches(at('2024-03-01T00:00'))).toBe(true);
    expect(schedule('0 0 1 * 1').matches(at('2024-03-01T00:00'))).toBe(false);
    expect(schedule('0 0 2 * 5').matches(at('2024-03-01T00:00'))).toBe(false);
    expect(schedule('30 4 * * *').matches(at('2024-03-01T04:30') + 59_999)).toBe(true);
    expect(schedule('30 4 * * *').matches(at('2024-03-01T04:31'))).toBe(false);
  });

  it.each([
    ['* * * * *', '2024-01-01T00:00', '2024-01-01T00:01'],
    ['*/15 * * * *', '2024-01-01T00:46', '2024-01-01T01:00'],
    ['0 */6 * * *', '2024-01-01T18:00', '2024-01-02T00:00'],
    ['@daily', '2024-02-28T12:00', '2024-02-29T00:00'],
    ['@weekly', '2024-01-01T00:00', '2024-01-07T00:00'],
    ['@monthly', '2024-12-02T00:00', '2025-01-01T00:00'],
    ['@yearly', '2024-01-01T00:00', '2025-01-01T00:00'],
    ['0 0 29 2 *', '2024-03-01T00:00', '2028-02-29T00:00'],
    ['0 0 29 2 *', '2096-03-01T00:00', '2104-02-29T00:00'],
    ['0 0 31 * *', '2024-01-31T00:00', '2024-03-31T00:00'],
    ['0 0 29 2 1', '2072-03-01T00:00', '2112-02-29T00:00'],
    ['0 0 30 2 *', '2024-01-01T00:00', undefined],
    ['0 0 31 4,6,9,11 *', '2024-01-01T00:00', undefined],
  ])('OPS-140 %s after %s is due at %s', (text, after, expected) => {
    expect(nextOf(text, after)).toBe(expected);
  });

  it('OPS-140 the next due minute matches, and none between does', () => {
    const list = (min: number, max: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min, max }).map(String),
        fc.integer({ min: 1, max }).map((step) => `*/${step}`),
        fc
          .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
          .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
      );
    const texts = fc.tuple(list(0, 59), list(0, 23), list(1, 28), fc.constant('*'), fc.constant('*'));
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 4e12 }), (fields, after) => {
        const expression = schedule(fields.join(' '));
        const next = expression.next(after)!;
        expect(next).toBeGreaterThan(after);
        expect(next % 60_000).toBe(0);
        expect(expression.matches(next)).toBe(true);
        const first = (Math.floor(after / 60_000) + 1) * 60_000;
        for (let minute = first; minute < Math.min(next, first + 3000 * 60_000); minute += 60_000) {
          expect(expression.matches(minute)).toBe(false);
        }
      }),
      { numRuns: 50 },
    );
  });
});

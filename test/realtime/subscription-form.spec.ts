import { describe, expect, it } from 'vitest';
import { readValidDto } from '../../src/http/dto/read-dto.js';
import { ValidationError } from '../../src/kernel/errors/validation.error.js';
import { SubscriptionDto } from '../../src/realtime/subscription.dto.js';

const read = (values: Record<string, unknown>, isForm = false) => readValidDto(SubscriptionDto, { values, isForm });

function refusal(values: Record<string, unknown>, isForm = false): unknown {
  try {
    read(values, isForm);
  } catch (error) {
    if (error instanceof ValidationError) return codes(error.data);
    throw error;
  }
  return undefined;
}

/** The tree of errors with nothing but the codes. */
function codes(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      const entry = value as Record<string, unknown>;
      return [key, typeof entry['code'] === 'string' ? entry['code'] : codes(entry)];
    }),
  );
}

const OK = { clientId: 'c', subscriptions: [] };

describe('a request for subscriptions', () => {
  it.each([
    [{}, { clientId: 'validation_required', subscriptions: 'validation_required' }],
    [{ ...OK, clientId: '' }, { clientId: 'validation_required' }],
    [{ ...OK, clientId: null }, { clientId: 'validation_required' }],
    [{ ...OK, clientId: 5 }, { clientId: 'validation_invalid_value' }],
    [{ ...OK, clientId: 'x'.repeat(256) }, { clientId: 'validation_length_out_of_range' }],
    [{ ...OK, subscriptions: null }, { subscriptions: 'validation_required' }],
    [{ ...OK, subscriptions: 'posts/*' }, { subscriptions: 'validation_invalid_value' }],
    [{ ...OK, subscriptions: { 0: 'a' } }, { subscriptions: 'validation_invalid_value' }],
    [{ ...OK, subscriptions: ['a', 1] }, { subscriptions: 'validation_invalid_value' }],
    [
      { ...OK, subscriptions: Array.from({ length: 1001 }, (_, index) => `t${index}`) },
      { subscriptions: 'validation_length_too_long' },
    ],
    [
      { ...OK, subscriptions: ['ok', '€'.repeat(2501), 'a\nb', '\u007f'] },
      {
        subscriptions: {
          1: 'validation_length_too_long',
          2: 'validation_match_invalid',
          3: 'validation_match_invalid',
        },
      },
    ],
    [
      { clientId: '', subscriptions: ['\u0000'] },
      { clientId: 'validation_required', subscriptions: { 0: 'validation_match_invalid' } },
    ],
  ])('RT-25 RT-26 refuses %j', (values, expected) => {
    expect(refusal(values)).toEqual(expected);
  });

  it('RT-26 counts code points and takes what is exactly at the limits', () => {
    const subscriptions = ['😀'.repeat(2500), ...Array.from({ length: 999 }, (_, index) => `t${index}`)];
    expect(read({ clientId: 'x'.repeat(255), subscriptions }).topics.size).toBe(1000);
    expect(refusal({ ...OK, subscriptions: ['😀'.repeat(2501)] })).toEqual({
      subscriptions: { 0: 'validation_length_too_long' },
    });
  });

  it('RT-29 skips empty elements, counts duplicates once and takes any other text', () => {
    const { topics } = read({ clientId: 'c', subscriptions: ['', 'a', 'a', '?', '💬/*'] });
    expect([...topics]).toEqual(['a', '?', '💬/*']);
  });

  it('RT-25 RT-26 takes a form: one key is a list of one, none an empty list, numbers are texts', () => {
    const topics = (values: Record<string, unknown>) => [...read(values, true).topics];
    expect(topics({ clientId: 'c', subscriptions: 'posts/*' })).toEqual(['posts/*']);
    expect(topics({ clientId: 'c', subscriptions: ['posts/*', 12, true] })).toEqual(['posts/*', '12', 'true']);
    expect(topics({ clientId: 12 })).toEqual([]);
    expect(topics({ clientId: 'c', subscriptions: 1e21 })).toEqual(['1000000000000000000000']);
  });
});

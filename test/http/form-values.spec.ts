import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadRequestError } from '../../src/kernel/errors/bad-request.error.js';
import { FormValues, inferFormValue, readUrlEncodedForm } from '../../src/http/body/form-values.js';

function bodyOf(...parts: [string, string][]): Record<string, unknown> {
  const values = new FormValues();
  for (const [key, text] of parts) values.add(key, text);
  return values.toBody() as Record<string, unknown>;
}

describe('values of a form', () => {
  it.each([
    ['true', true],
    ['false', false],
    ['12', 12],
    ['-3.4', -3.4],
    ['0.5', 0.5],
    ['0', 0],
    ['0.0000001', 1e-7],
    ['-0.00000012', -1.2e-7],
    ['1000000000000000000000', 1e21],
    ['9007199254740992', 2 ** 53],
  ])('BODY-5 %s is a value', (text, value) => {
    expect(inferFormValue(text)).toBe(value);
  });

  it.each([
    '0.0',
    '007',
    '1e5',
    '1.0',
    '+1',
    ' 1 ',
    '0xFF',
    'Infinity',
    '-Infinity',
    'NaN',
    '',
    'null',
    'True',
    'TRUE',
    '.5',
    '-',
    '--1',
    '1-',
    '1.2.3',
    '-.5',
    '5.',
    '9007199254740993',
    '1152921504606846976',
    '-0',
    '2024-01-31',
    '9'.repeat(500),
  ])('BODY-5 %j stays text', (text) => {
    expect(inferFormValue(text)).toBe(text);
  });

  it('BODY-5 never loses a character: what became a number prints as it was sent', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-.0-9]{0,25}$/), (text) => {
        const value = inferFormValue(text);
        if (typeof value === 'number') expect(Number(text)).toBe(value);
        else expect(value).toBe(text);
      }),
    );
    fc.assert(
      fc.property(fc.integer(), (number) => {
        fc.pre(!Object.is(number, -0));
        expect(inferFormValue(String(number))).toBe(number);
      }),
    );
  });

  it('BODY-4 a key once is a scalar, several times a list in order', () => {
    expect(bodyOf(['a', '1'], ['b', 'x'], ['a', 'two'], ['a', 'true'])).toEqual({ a: [1, 'two', true], b: 'x' });
  });

  it('BODY-1 BODY-5 reads urlencoded text the same way', () => {
    const text = 'a=1&b=x+y&b=%C3%BC&a%2B=007&@jsonPayload=%7B%22c%22%3A%5B1%5D%7D&bad=%zz&none';
    expect(readUrlEncodedForm(Buffer.from(text))).toEqual({
      a: 1,
      b: ['x y', 'ü'],
      'a+': '007',
      c: [1],
      bad: '%zz',
      none: '',
    });
  });

  it('BODY-1 OPS-39 reads urlencoded text of any length as the URL standard does', async () => {
    const plain = ['&', '=', '+', '%2B', '%C3%BC', '%00', '%EF%BB%BF', 'x', '@', '%41'.repeat(15_000)];
    const listOf = (...more: string[]) => fc.array(fc.constantFrom(...plain, ...more), { maxLength: 30 });
    // Node reads other texts than the standard where malformed escapes and letters that need one are in one value.
    const texts = fc.oneof(listOf('%', '%4', '%zz', '%c3', '%%41'), listOf('ü', '€'.repeat(40_000)));
    await fc.assert(
      fc.asyncProperty(texts, async (pieces) => {
        const bytes = Buffer.from(`a=x&${pieces.join('')}`);
        expect(await readUrlEncodedForm(bytes)).toEqual(bodyOf(...new URLSearchParams(bytes.toString())));
      }),
    );
  });

  it('OPS-39 lets others in while it reads a long urlencoded text', async () => {
    let isOver = false;
    const reading = Promise.resolve(readUrlEncodedForm(Buffer.from(`a=${'%41'.repeat(5_000_000)}`))).then((body) => {
      isOver = true;
      return body;
    });
    await nextTurn();
    await nextTurn();
    expect(isOver).toBe(false);
    expect(await reading).toEqual({ a: 'A'.repeat(5_000_000) });
  });

  it('FS-17 urlencoded text has at most 1000 values, as a multipart form has', () => {
    const values = (count: number) => Array.from({ length: count }, (_, index) => `v${index}=x`).join('&');
    expect(Object.keys(readUrlEncodedForm(Buffer.from(values(1000))))).toHaveLength(1000);
    expect(() => readUrlEncodedForm(Buffer.from(values(1001)))).toThrow(BadRequestError);
  });

  it('BODY-6 lays payloads over the other values, later over earlier ones, without inference', () => {
    const body = bodyOf(
      ['@jsonPayload', '{"a":"1","b":[1],"n":"12"}'],
      ['a', 'form'],
      ['c', '3'],
      ['@jsonPayload', '{"b":{"deep":true}}'],
      ['@jsonPayload', 'null'],
    );
    expect(body).toEqual({ a: '1', b: { deep: true }, n: '12', c: 3 });
  });

  it.each(['{', '', '[1]', '"text"', '1', '{"a":1} x'])('BODY-6 refuses the payload %j', (payload) => {
    expect(() => bodyOf(['@jsonPayload', payload])).toThrow(BadRequestError);
  });

  it('BODY-6 keeps a key named __proto__ as data', () => {
    const body = bodyOf(['@jsonPayload', '{"__proto__":{"admin":true}}'], ['constructor', 'x']);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect((body as { admin?: boolean }).admin).toBeUndefined();
    expect(Object.keys(body).sort()).toEqual(['__proto__', 'constructor']);
  });
});

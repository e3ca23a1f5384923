import { describe, expect, it } from 'vitest';
import { atLeast, email, required } from './rules.js';
import { each, firstFailing, isFine, object, validateObject, when } from './validate-object.js';

describe('validateObject', () => {
  it('OPS-5 reports everything that is wrong, nested like the object', () => {
    const errors = validateObject(
      { meta: { appName: '', senderAddress: 'x' }, rules: [{ label: 'a' }, { label: '' }], ips: ['', 'b'] },
      {
        meta: object({ appName: required, senderAddress: [required, email] }),
        rules: each(object({ label: required })),
        ips: [required, each(required)],
        missing: required,
      },
    );
    expect(errors).toEqual({
      meta: {
        appName: expect.objectContaining({ code: 'validation_required' }),
        senderAddress: expect.objectContaining({ code: 'validation_is_email' }),
      },
      rules: { '1': { label: expect.objectContaining({ code: 'validation_required' }) } },
      ips: { '0': expect.objectContaining({ code: 'validation_required' }) },
      missing: expect.objectContaining({ code: 'validation_required' }),
    });
    expect(isFine(errors)).toBe(false);
  });

  it('OPS-5 checks of one property stop at the first that fails', () => {
    const seen: unknown[] = [];
    const spy = (value: unknown) => {
      seen.push(value);
      return undefined;
    };
    validateObject({ a: '', b: 1 }, { a: [required, spy], b: [required, spy] });
    expect(seen).toEqual([1]);
  });

  it('OPS-5 checks may depend on a condition', () => {
    expect(isFine(validateObject({ host: '' }, { host: when(false, required) }))).toBe(true);
    expect(isFine(validateObject({ host: '' }, { host: when(true, required) }))).toBe(false);
    expect(firstFailing(required, atLeast(5))(3)?.code).toBe('validation_min_greater_equal_than_required');
  });

  it('OPS-5 nothing wrong is an empty tree', () => {
    const shape = { meta: object({ appName: required }), rules: each(required) };
    expect(validateObject({ meta: { appName: 'x' }, rules: ['a'] }, shape)).toEqual({});
    expect(validateObject({ meta: { appName: 'x' }, rules: undefined }, shape)).toEqual({});
  });

  it('OPS-5 only own properties count, and what is no object has none', () => {
    expect(validateObject({}, { toString: required })).toHaveProperty('toString.code', 'validation_required');
    for (const value of [null, undefined, 5, 'text'])
      expect(isFine(validateObject(value, { a: required }))).toBe(false);
  });
});

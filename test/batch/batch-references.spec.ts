import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveReferences } from '../../src/batch/batch-references.js';
import type { ApiError } from '../../src/kernel/errors/api-error.js';

const to = (index: number | string) => `@request.data.requests.${index}.body.id`;
const ids = ['first', undefined, 'third'];

function failed(body: Record<string, unknown>): unknown {
  try {
    resolveReferences(body, ids);
  } catch (error) {
    return (error as ApiError).data;
  }
  return undefined;
}

describe('references between items', () => {
  it('BAT-16 BAT-17 are replaced wherever a value stands', () => {
    const body = {
      author: to(0),
      'tags+': ['x', to(2), { deep: [[to(0)]] }],
      data: { a: { b: to(2) }, [to(0)]: 1 },
      plain: 5,
      none: null,
    };
    expect(resolveReferences(body, ids)).toEqual({
      author: 'first',
      'tags+': ['x', 'third', { deep: [['first']] }],
      data: { a: { b: 'third' }, [to(0)]: 1 },
      plain: 5,
      none: null,
    });
  });

  it.each([
    ` ${to(0)}`,
    `${to(0)} `,
    `x${to(0)}`,
    `${to(0)}x`,
    `${to(0)}\n`,
    to('-1'),
    to('+0'),
    to('0x0'),
    to(''),
    to('a'),
    '@request.data.requests.0.body.name',
    '@request.data.requests.0.id',
    '@REQUEST.data.requests.0.body.id',
  ])('BAT-16 BAT-17 leave %j as it is', (text) => {
    expect(resolveReferences({ a: text, b: [text] }, ids)).toEqual({ a: text, b: [text] });
  });

  it.each([to(1), to(3), to(99), to('99999999999999999999999999')])('BAT-18 fail for %s', (text) => {
    const error = { code: 'validation_invalid_batch_reference', message: expect.any(String) };
    expect(failed({ ok: to(0), a: text, 'b+': [{ c: [text] }] })).toEqual({ a: error, 'b+': error });
  });

  it('BAT-17 never changes the body itself and needs no stack for deep ones', () => {
    const body = { list: [to(0)] };
    resolveReferences(body, ids);
    expect(body).toEqual({ list: [to(0)] });
    const depth = 200_000;
    const deep = JSON.parse(`${'['.repeat(depth)}"${to(0)}"${']'.repeat(depth)}`) as unknown;
    let found: unknown = resolveReferences({ deep }, ids)['deep'];
    for (let level = 0; level < depth; level++) found = (found as unknown[])[0];
    expect(found).toBe('first');
  });

  it('OPS-39 copy no more than what stands around them', () => {
    const plain = { lists: [[], [[]], {}], object: { a: { b: [{ c: 1 }] } } };
    const kept = resolveReferences({ plain, author: to(0) }, ids);
    expect(kept).toEqual({ plain, author: 'first' });
    expect(kept['plain']).toBe(plain);
    const around = { plain, near: [plain, { to: to(0), also: [to(2)] }, plain], after: plain };
    const found = resolveReferences({ around }, ids)['around'] as typeof around;
    expect(found).toEqual({ plain, near: [plain, { to: 'first', also: ['third'] }, plain], after: plain });
    for (const each of [found.plain, found.near[0], found.near[2], found.after]) expect(each).toBe(plain);
  });

  it('BAT-16 BAT-17 are found by a simple walk, too', () => {
    const simple = (value: unknown): unknown => {
      if (value === to(0)) return 'first';
      if (Array.isArray(value)) return value.map(simple);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, simple(inner)]));
    };
    const leaf = fc.oneof(fc.constant(to(0)), fc.string(), fc.integer(), fc.constant(null));
    const { value: values } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie('value')), fc.dictionary(fc.string(), tie('value'))),
    }));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), values), (body) => {
        const before = structuredClone(body);
        expect({ ...resolveReferences(body, ids) }).toEqual({ ...(simple(body) as object) });
        expect({ ...body }).toEqual({ ...before });
      }),
    );
  });

  it('BAT-17 leave every body without a reference as it is', () => {
    const body = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(body, (values) => {
        expect({ ...resolveReferences(values, []) }).toEqual({ ...values });
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { GUEST } from '../records/caller.js';
import { RequestReader } from './request-reader.js';

const scope = (method: string) => ({ caller: GUEST.withRequest({ method }), now: 0 });
const method = ({ caller }: ReturnType<typeof scope>) => caller.request.method;

describe('RequestReader', () => {
  it('SQL-2 fits requests in which it would find the same', () => {
    const reader = new RequestReader(scope('POST'));
    expect(reader.fits(scope('GET'))).toBe(true);
    expect(reader.about(method)).toBe('POST');
    expect(reader.fits(scope('POST'))).toBe(true);
    expect(reader.fits(scope('GET'))).toBe(false);
  });

  it('SQL-2 holds no request when it is sealed, and still judges others', () => {
    const reader = new RequestReader(scope('POST'));
    reader.about(method);
    reader.seal();
    expect(reader.fits(scope('POST'))).toBe(true);
    expect(() => reader.about(method)).toThrow('gone');
    expect(JSON.stringify(reader)).not.toContain('caller');
  });
});

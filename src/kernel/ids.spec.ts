import { describe, expect, it } from 'vitest';
import { checksumId, newRecordId, randomText, timeOrderedIds } from './ids.js';

describe('ids', () => {
  it('COL-26 a record id has 15 characters of a-z and 0-9', () => {
    const ids = Array.from({ length: 200 }, newRecordId);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{15}$/);
    expect(new Set(ids).size).toBe(200);
  });

  it('COL-26 random text uses the whole alphabet and nothing else', () => {
    expect(new Set(randomText(2000, 'abc'))).toEqual(new Set(['a', 'b', 'c']));
    expect(randomText(0)).toBe('');
  });

  it('COL-26 random text has every character about as often', () => {
    const counts = new Map<string, number>();
    for (const char of randomText(62_000)) counts.set(char, (counts.get(char) ?? 0) + 1);
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(250);
  });

  it('a time-ordered id sorts by its time, is unlike the others of that time, and has the form of a record id', () => {
    const times = [0, 1, 999_999_999, 1_790_000_000_000, 1_790_000_000_001, 9_999_999_999_999];
    const ids = times.map(timeOrderedIds());
    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{15}$/);
    const idOf = timeOrderedIds();
    expect(new Set(Array.from({ length: 50 }, () => idOf(5))).size).toBe(50);
  });

  it.each([
    ['pbc_', 'auth_superusers', 'pbc_3142635823'],
    ['pbc_', 'base_externalAuths', 'pbc_2281828961'],
    ['pbc_', 'base_mfas', 'pbc_2279338944'],
    ['pbc_', 'base_otps', 'pbc_1638494021'],
    ['pbc_', 'base_authOrigins', 'pbc_4275539003'],
    ['pbc_', 'baseposts', 'pbc_1125843985'],
    ['text', 'id', 'text3208210256'],
    ['bool', 'verified', 'bool256245529'],
  ])('COL-20 COL-27 %s and the checksum of %s make %s', (prefix, text, id) => {
    expect(checksumId(prefix, text)).toBe(id);
  });

  it('COL-20 COL-27 a taken id gets the counter 2, then 3', () => {
    const taken = new Set(['text3208210256']);
    expect(checksumId('text', 'id', (id) => taken.has(id))).toBe('text32082102562');
    taken.add('text32082102562');
    expect(checksumId('text', 'id', (id) => taken.has(id))).toBe('text32082102563');
  });

  it('COL-20 the checksum is that of the UTF-8 bytes', () => {
    expect(checksumId('', 'ä')).toBe(checksumId('', Buffer.from('ä', 'utf8').toString('utf8')));
    expect(checksumId('', 'ä')).not.toBe(checksumId('', 'a'));
  });
});

import { describe, expect, it } from 'vitest';
import { checksumId } from './checksum.js';

describe('checksum ids', () => {
  const free = () => false;

  it('COL-20 makes collection ids from type and name', () => {
    expect(checksumId('pbc_', 'auth_superusers', free)).toBe('pbc_3142635823');
    expect(checksumId('pbc_', 'base_externalAuths', free)).toBe('pbc_2281828961');
    expect(checksumId('pbc_', 'base_mfas', free)).toBe('pbc_2279338944');
    expect(checksumId('pbc_', 'base_otps', free)).toBe('pbc_1638494021');
    expect(checksumId('pbc_', 'base_authOrigins', free)).toBe('pbc_4275539003');
    expect(checksumId('pbc_', 'baseposts', free)).toBe('pbc_1125843985');
  });

  it('COL-27 makes field ids from type and name', () => {
    expect(checksumId('text', 'id', free)).toBe('text3208210256');
    expect(checksumId('password', 'password', free)).toBe('password901924565');
    expect(checksumId('text', 'tokenKey', free)).toBe('text2504183744');
    expect(checksumId('email', 'email', free)).toBe('email3885137012');
    expect(checksumId('bool', 'emailVisibility', free)).toBe('bool1547992806');
    expect(checksumId('bool', 'verified', free)).toBe('bool256245529');
    expect(checksumId('autodate', 'created', free)).toBe('autodate2990389176');
    expect(checksumId('autodate', 'updated', free)).toBe('autodate3332085495');
    expect(checksumId('text', 'title', free)).toBe('text724990059');
  });

  it('COL-20 COL-27 counts from 2 when an id is taken', () => {
    const taken = new Set(['text724990059', 'text7249900592']);
    expect(checksumId('text', 'title', (id) => taken.has(id))).toBe('text7249900593');
  });
});

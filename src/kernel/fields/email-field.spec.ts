import { describe, expect, it } from 'vitest';
import { EmailField } from './email-field.js';
import type { DomainLists } from './option-checks.js';

const type = new EmailField();
const field = (options: Partial<DomainLists> = {}) =>
  ({ required: false, exceptDomains: null, onlyDomains: null, ...options }) as DomainLists;
const codeOf = (value: string, options?: Partial<DomainLists>) => type.validate(value, field(options))?.code;

describe('email fields', () => {
  it('COL-66 hold an address in its own spelling', () => {
    expect(type.normalize('Ann@Example.com')).toBe('Ann@Example.com');
    expect(codeOf('Ann@Example.com')).toBeUndefined();
    expect(codeOf('ann@localhost')).toBe('validation_is_email');
    expect(codeOf('')).toBeUndefined();
    expect(codeOf('', { required: true })).toBe('validation_required');
  });

  it('COL-66 only or except domains, ignoring case', () => {
    expect(codeOf('a@EXAMPLE.com', { onlyDomains: ['Example.COM'] })).toBeUndefined();
    expect(codeOf('a@sub.example.com', { onlyDomains: ['example.com'] })).toBe('validation_email_domain_not_allowed');
    expect(codeOf('a@EXAMPLE.com', { exceptDomains: ['example.COM'] })).toBe('validation_email_domain_not_allowed');
    expect(codeOf('a@other.com', { exceptDomains: ['example.com'] })).toBeUndefined();
    expect(codeOf('a@other.com', { onlyDomains: [], exceptDomains: [] })).toBeUndefined();
    expect(codeOf('', { onlyDomains: ['example.com'] })).toBeUndefined();
  });

  it('COL-66 options', () => {
    expect(type.checkOptions(field({ onlyDomains: ['example.com'], exceptDomains: [] }))).toEqual({});
    expect(type.checkOptions(field({ onlyDomains: ['a.com'], exceptDomains: ['b.com'] }))).toMatchObject({
      onlyDomains: { code: 'validation_empty' },
      exceptDomains: { code: 'validation_empty' },
    });
    expect(type.checkOptions(field({ onlyDomains: ['a.com', 'no domain'] }))).toEqual({
      onlyDomains: { '1': expect.objectContaining({ code: 'validation_is_domain' }) },
    });
    expect(type.checkOptions(field({ exceptDomains: [''] }))).toEqual({
      exceptDomains: { '0': expect.objectContaining({ code: 'validation_is_domain' }) },
    });
  });
});

import { describe, expect, it } from 'vitest';
import type { DomainLists } from './option-checks.js';
import { UrlField } from './url-field.js';

const type = new UrlField();
const field = (options: Partial<DomainLists> = {}) =>
  ({ required: false, exceptDomains: null, onlyDomains: null, ...options }) as DomainLists;
const codeOf = (value: string, options?: Partial<DomainLists>) => type.validate(value, field(options))?.code;

describe('url fields', () => {
  it('COL-67 hold a URL', () => {
    expect(codeOf('https://example.com/x')).toBeUndefined();
    expect(codeOf('no url')).toBe('validation_invalid_url');
    expect(codeOf('')).toBeUndefined();
    expect(codeOf('', { required: true })).toBe('validation_required');
  });

  it('COL-67 domains compare with host and port, which a URL without scheme does not have', () => {
    expect(codeOf('https://EXAMPLE.com/x', { onlyDomains: ['example.com'] })).toBeUndefined();
    expect(codeOf('https://example.com:8080', { onlyDomains: ['example.com'] })).toBe(
      'validation_url_domain_not_allowed',
    );
    expect(codeOf('example.com', { onlyDomains: ['example.com'] })).toBe('validation_url_domain_not_allowed');
    expect(codeOf('example.com', { exceptDomains: ['example.com'] })).toBeUndefined();
    expect(codeOf('https://user@example.com', { exceptDomains: ['Example.com'] })).toBe(
      'validation_url_domain_not_allowed',
    );
    // Browsers go to evil.com.
    expect(codeOf('https://evil.com\\@example.com', { onlyDomains: ['example.com'] })).toBe('validation_invalid_url');
  });

  it('COL-67 options', () => {
    expect(type.checkOptions(field({ onlyDomains: ['a.com'], exceptDomains: ['b.com'] }))).toMatchObject({
      onlyDomains: { code: 'validation_empty' },
      exceptDomains: { code: 'validation_empty' },
    });
    expect(type.checkOptions(field({ exceptDomains: ['https://a.com'] }))).toHaveProperty(
      ['exceptDomains', '0', 'code'],
      'validation_is_domain',
    );
  });
});

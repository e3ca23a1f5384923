import { describe, expect, it } from 'vitest';
import * as rules from './rules.js';
import { byteLength } from './text-length.js';

const codeOf = (rule: rules.Rule, value: unknown) => rule(value)?.code;

describe('rules', () => {
  it.each([undefined, null, '', 0, false, []])('AUTH-103 %j is missing', (value) => {
    expect(codeOf(rules.required, value)).toBe('validation_required');
  });

  it.each(['x', ' ', 1, true, ['']])('AUTH-103 %j is not missing', (value) => {
    expect(codeOf(rules.required, value)).toBeUndefined();
  });

  it('OPS-5 empty values pass every rule that is not about being empty', () => {
    const all = [
      rules.email,
      rules.url,
      rules.domain,
      rules.host,
      rules.urlOrHost,
      rules.ipOrSubnet,
      rules.hexColor,
      rules.cron,
      rules.length(5, 9),
      rules.maxLength(0),
      rules.exactLength(7),
      rules.atLeast(5),
      rules.atMost(-5),
      rules.oneOf('a'),
      rules.noneOf(''),
      rules.pattern(/^x$/),
    ];
    for (const rule of all) for (const value of [undefined, null, '']) expect(rule(value)).toBeUndefined();
  });

  it('COL-4 null says nobody, and an empty text is refused', () => {
    expect(codeOf(rules.nilOrNotEmpty, '')).toBe('validation_nil_or_not_empty_required');
    expect(codeOf(rules.nilOrNotEmpty, null)).toBeUndefined();
    expect(codeOf(rules.nilOrNotEmpty, 'a = b')).toBeUndefined();
  });

  it('COL-130 rules that must be null', () => {
    expect(codeOf(rules.nil, '')).toBe('validation_nil');
    expect(codeOf(rules.nil, null)).toBeUndefined();
  });

  it('OPS-5 lengths count code points, or whatever is asked for', () => {
    expect(codeOf(rules.length(1, 2), '👍👍')).toBeUndefined();
    expect(rules.length(1, 2)('abc')).toMatchObject({
      code: 'validation_length_out_of_range',
      params: { min: 1, max: 2 },
    });
    expect(codeOf(rules.length(1, 7, byteLength), '👍👍')).toBe('validation_length_out_of_range');
    expect(codeOf(rules.exactLength(7), '#12345')).toBe('validation_length_invalid');
    expect(codeOf(rules.exactLength(7), '#123456')).toBeUndefined();
  });

  it('BAT-5 the greatest length holds for texts and for lists', () => {
    expect(rules.maxLength(2)([1, 2, 3])).toMatchObject({ code: 'validation_length_too_long', params: { max: 2 } });
    expect(codeOf(rules.maxLength(2), 'abc')).toBe('validation_length_too_long');
    expect(codeOf(rules.maxLength(3), [1, 2, 3])).toBeUndefined();
  });

  it('OPS-5 numbers have a threshold', () => {
    expect(rules.atLeast(1)(0)).toMatchObject({
      code: 'validation_min_greater_equal_than_required',
      params: { threshold: 1 },
    });
    expect(rules.atMost(65535)(65536)).toMatchObject({
      code: 'validation_max_less_equal_than_required',
      params: { threshold: 65535 },
    });
    expect(codeOf(rules.atLeast(1), 1)).toBeUndefined();
    expect(codeOf(rules.atMost(1), 1)).toBeUndefined();
    expect(codeOf(rules.atLeast(1), '5')).toBe('validation_min_greater_equal_than_required');
  });

  it('OPS-5 values of a list, and values outside of one', () => {
    expect(codeOf(rules.oneOf('', '@guest', '@auth'), '@all')).toBe('validation_in_invalid');
    expect(codeOf(rules.oneOf('', '@guest', '@auth'), '@auth')).toBeUndefined();
    expect(codeOf(rules.noneOf('a'), 'a')).toBe('validation_not_in_invalid');
    expect(codeOf(rules.equalTo('a'), 'b')).toBe('validation_values_mismatch');
    expect(codeOf(rules.equalTo(''), '')).toBeUndefined();
  });

  it('OPS-5 forms of texts', () => {
    expect(codeOf(rules.hexColor, '#1f6f5c')).toBeUndefined();
    expect(codeOf(rules.hexColor, '#1F6F5C')).toBeUndefined();
    for (const text of ['#1f6f5', '1f6f5cc', '#1f6f5g', '#1f6f5c ']) {
      expect(codeOf(rules.hexColor, text)).toBe('validation_is_hex_color');
    }
    expect(codeOf(rules.cron, '0 0 * * *')).toBeUndefined();
    expect(codeOf(rules.cron, 'daily')).toBe('validation_invalid_cron');
    expect(codeOf(rules.pattern(/^[a-z0-9_-]+\.zip$/), 'x.tar')).toBe('validation_match_invalid');
    expect(codeOf(rules.pattern(/^a$/, 'validation_invalid_format'), 'b')).toBe('validation_invalid_format');
    expect(codeOf(rules.pattern(/a/g), 'a')).toBeUndefined();
    expect(codeOf(rules.pattern(/a/g), 'a')).toBeUndefined();
    expect(codeOf(rules.email, 5)).toBe('validation_is_email');
  });

  it.each(['smtp.example.com', 'localhost', 'mail_relay', '10.0.0.1', '::1', 'münchen.de'])(
    'OPS-5 %s is a host',
    (text) => {
      expect(codeOf(rules.host, text)).toBeUndefined();
    },
  );

  it.each(['http://example.com', 'a b', '-x', 'x-', '256.1.1.1', '1.2.3', 'a..b', '.a', 'a.', 'x'.repeat(254)])(
    'OPS-5 %s is no host',
    (text) => {
      expect(codeOf(rules.host, text)).toBe('validation_is_host');
    },
  );

  it.each(['https://s3.example.com', 'minio:9000', 'http://minio:9000', 's3.example.com', '10.0.0.1:9000', '::1'])(
    'OPS-5 %s is a URL or a host',
    (text) => {
      expect(codeOf(rules.urlOrHost, text)).toBeUndefined();
    },
  );

  it.each(['a b', 'http://', 'x:y', 'x:99999'])('OPS-5 %s is neither a URL nor a host', (text) => {
    expect(codeOf(rules.urlOrHost, text)).toBe('validation_is_url');
  });

  it.each(['127.0.0.1', '::1', '2001:db8::/32', '10.0.0.0/8', '10.1.2.3/0', '::ffff:1.2.3.4', '1.2.3.4/32'])(
    'OPS-5 %s is an address or a subnet',
    (text) => {
      expect(codeOf(rules.ipOrSubnet, text)).toBeUndefined();
    },
  );

  it.each([
    'localhost',
    '10.0.0',
    '1.2.3.4.5',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '/8',
    '1.2.3.4/8/8',
    '10.0.0.0/-1',
    '1.2.3.4/+8',
    '1.2.3.4/08',
    '::/00',
    '010.0.0.0/8',
    'fe80::1%eth0',
    '0x7f.1',
    '010.0.0.1x',
  ])('OPS-5 %s is no address', (text) => {
    expect(codeOf(rules.ipOrSubnet, text)).toBe('validation_invlaid_ip_or_subnet');
  });
});

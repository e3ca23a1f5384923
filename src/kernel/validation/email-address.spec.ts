import { describe, expect, it } from 'vitest';
import { emailDomain, isEmailAddress } from './email-address.js';

describe('email addresses', () => {
  it.each([
    'ann@example.com',
    'a@b.c',
    "o'brien+tag@mail.example.co.uk",
    'x_y-z.w@example.com',
    '用户@例子.广告',
    'jörg@münchen.de',
    'a@xn--mnchen-3ya.de',
    `${'a'.repeat(64)}@example.com`,
    'a!#$%&*/=?^`{|}~@example.com',
  ])('COL-66 %s is one', (text) => {
    expect(isEmailAddress(text)).toBe(true);
  });

  it.each([
    '',
    'a',
    '@',
    'a@',
    '@example.com',
    'a@b',
    'a@b.',
    'a@.b',
    'a@b..c',
    '.a@b.c',
    'a.@b.c',
    'a..b@c.d',
    'a b@c.d',
    ' a@b.c',
    'a@b.c ',
    'a@b@c.d',
    'a@-b.c',
    'a@b-.c',
    'a@b_c.d',
    'a@1.2.3.4',
    'a@[1.2.3.4]',
    '"a b"@c.d',
    'a<b>@c.d',
    'a,b@c.d',
    'a@b.c\n',
    'a\n@b.c',
    'a\u0000@b.c',
    'a\u00a0b@c.d',
    'Ann <a@b.c>',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(64)}.com`,
    `a@${'b.'.repeat(130)}com`,
  ])('COL-66 %j is none', (text) => {
    expect(isEmailAddress(text)).toBe(false);
  });

  it('COL-66 the domain of an address is compared ignoring case', () => {
    expect(emailDomain('Ann@Example.COM')).toBe('example.com');
  });
});

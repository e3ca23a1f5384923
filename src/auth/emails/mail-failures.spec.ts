import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MailFailures } from './mail-failures.js';

const lines: string[] = [];

beforeEach(() => {
  lines.length = 0;
  vi.useFakeTimers();
  vi.spyOn(Logger.prototype, 'error').mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('OPS-39 a mail that fails is logged at once, and once a minute how many more did', () => {
  const failures = new MailFailures();
  const fail = (count: number, what = 'verification') => {
    for (let number = 1; number <= count; number++) failures.add(what, new Error(`No ${number}.`));
  };
  fail(3);
  fail(2, 'password reset');
  expect(lines).toEqual([
    'The verification mail could not be sent: Error: No 1.',
    'The password reset mail could not be sent: Error: No 1.',
  ]);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(2)).toEqual([
    'The verification mail could not be sent 2 more times, the last time: Error: No 3.',
    'The password reset mail could not be sent once more, the last time: Error: No 2.',
  ]);
  fail(1);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(4)).toEqual(['The verification mail could not be sent: Error: No 1.']);
});

it('OPS-39 what was counted is told when the process ends', () => {
  const failures = new MailFailures();
  for (const error of ['first', 'second']) failures.add('otp', error);
  failures.tellAll();
  vi.advanceTimersByTime(60_000);
  expect(lines).toEqual([
    'The otp mail could not be sent: first',
    'The otp mail could not be sent once more, the last time: second',
  ]);
});

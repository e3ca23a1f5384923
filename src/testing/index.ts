export { createTestRoost, TestRoost } from './create-test-roost.js';
export type { TestRequest, TestResponse, TestRoostOptions } from './create-test-roost.js';
export { CapturedMails } from '../mail/captured-mails.js';
export { TestClock } from './test-clock.js';

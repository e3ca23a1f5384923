export { createTestRoost, TestRoost } from './create-test-roost.js';
export type { TestRequest, TestResponse, TestRoostOptions } from './create-test-roost.js';
export { TestClock } from './test-clock.js';

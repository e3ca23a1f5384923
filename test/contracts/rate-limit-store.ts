import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RateLimitStore } from '../../src/rate-limits/rate-limit-store.js';

/** A store, the milliseconds it lets pass when told to, and how it is put away. */
export interface RateLimitStoreUnderTest {
  readonly store: RateLimitStore;
  /** Another process that counts in the same store; the same one where there is only one. */
  readonly other?: RateLimitStore;
  /** Milliseconds that go by on top of those, as the machine takes its time. */
  readonly slack?: number;
  pass(milliseconds: number): void | Promise<void>;
  close?(): void | Promise<void>;
}

const SECOND = 1_000;

/** What every RateLimitStore promises. */
export function rateLimitStoreContract(name: string, open: () => Promise<RateLimitStoreUnderTest>): void {
  describe(`rate limit store: ${name}`, () => {
    let subject: RateLimitStoreUnderTest;
    const window = { duration: 150 * SECOND, tokens: 3 };
    const once = { duration: 100 * SECOND, tokens: 1 };
    const take = async (key = 'a', other = window) => subject.store.take(key, other, performance.now());
    const takeElsewhere = async (key = 'a', other = window) =>
      (subject.other ?? subject.store).take(key, other, performance.now());

    /** How long a window lasts still: exactly as long where time is made, else a little less. */
    const expectLeft = (left: number, milliseconds: number) => {
      expect(left).toBeLessThanOrEqual(milliseconds);
      expect(left).toBeGreaterThanOrEqual(milliseconds - (subject.slack ?? 0));
      expect(left).toBeGreaterThan(0);
    };

    beforeEach(async () => {
      subject = await open();
    });
    afterEach(() => subject.close?.());

    it('OPS-24 gives as many tokens as the window has, then says how long it lasts', async () => {
      for (let count = 0; count < 3; count++) expect(await take()).toBe(0);
      await subject.pass(40 * SECOND);
      expectLeft(await takeElsewhere(), 110 * SECOND);
      await subject.pass(SECOND);
      expectLeft(await take(), 109 * SECOND);
    });

    it('OPS-24 SCALE-24 gives exactly as many to any number that come at the same time', async () => {
      const many = { duration: 150 * SECOND, tokens: 70 };
      const waits = await Promise.all(
        Array.from({ length: 200 }, (_, index) => (index % 2 ? take('a', many) : takeElsewhere('a', many))),
      );
      expect(waits.filter((wait) => wait === 0)).toHaveLength(70);
    });

    it('OPS-24 a window begins with its first token and not at a full second', async () => {
      await subject.pass(70 * SECOND);
      expect(await take()).toBe(0);
      await subject.pass(120 * SECOND);
      expect([await take(), await takeElsewhere()]).toEqual([0, 0]);
      expectLeft(await take(), 30 * SECOND);
      await subject.pass(30 * SECOND);
      expect([await take(), await take(), await takeElsewhere()]).toEqual([0, 0, 0]);
      expectLeft(await take(), 150 * SECOND);
    });

    it('OPS-24 refused requests do not prolong the window', async () => {
      await take('a', once);
      for (let count = 0; count < 5; count++) {
        expect(await take('a', once)).toBeGreaterThan(0);
        await subject.pass(14 * SECOND);
      }
      await subject.pass(30 * SECOND);
      expect(await take('a', once)).toBe(0);
    });

    it('OPS-24 counts every key by itself', async () => {
      for (const key of ['a', 'b', 'a|b', '']) expect(await take(key, once)).toBe(0);
      for (const key of ['a', 'b', 'a|b', '']) expectLeft(await takeElsewhere(key, once), 100 * SECOND);
    });

    it('OPS-6 begins anew when it is cleared', async () => {
      for (let index = 0; index < 30; index++) await take(`key ${index}`, once);
      await subject.store.clear();
      for (let index = 0; index < 30; index++) expect(await takeElsewhere(`key ${index}`, once)).toBe(0);
      expectLeft(await take('key 0', once), 100 * SECOND);
    });

    it('OPS-26 pruning forgets only what is over', async () => {
      await take('old', { duration: 10 * SECOND, tokens: 1 });
      await take('young', { duration: 100 * SECOND, tokens: 1 });
      await subject.pass(10 * SECOND);
      await subject.store.prune();
      expectLeft(await take('young', once), 90 * SECOND);
      expect(await take('old', { duration: 10 * SECOND, tokens: 1 })).toBe(0);
    });
  });
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RateLimitStore } from '../../src/rate-limits/rate-limit-store.js';

/** A store, the milliseconds it lets pass when told to, and how it is put away. */
export interface RateLimitStoreUnderTest {
  readonly store: RateLimitStore;
  pass(milliseconds: number): void | Promise<void>;
  close?(): void | Promise<void>;
}

/** What every RateLimitStore promises. */
export function rateLimitStoreContract(name: string, open: () => Promise<RateLimitStoreUnderTest>): void {
  describe(`rate limit store: ${name}`, () => {
    let subject: RateLimitStoreUnderTest;
    const window = { duration: 1500, tokens: 3 };
    const take = async (key = 'a', other = window) => subject.store.take(key, other, performance.now());

    beforeEach(async () => {
      subject = await open();
    });
    afterEach(() => subject.close?.());

    it('OPS-24 gives as many tokens as the window has, then says how long it lasts', async () => {
      for (let count = 0; count < 3; count++) expect(await take()).toBe(0);
      await subject.pass(400);
      expect(await take()).toBe(1100);
      await subject.pass(1);
      expect(await take()).toBe(1099);
    });

    it('OPS-24 a window begins with its first token and not at a full second', async () => {
      await subject.pass(700);
      expect(await take()).toBe(0);
      await subject.pass(1499);
      expect([await take(), await take(), await take()]).toEqual([0, 0, 1]);
      await subject.pass(1);
      expect([await take(), await take(), await take(), await take()]).toEqual([0, 0, 0, 1500]);
    });

    it('OPS-24 refused requests do not prolong the window', async () => {
      await take('a', { duration: 1000, tokens: 1 });
      for (let count = 0; count < 5; count++) {
        expect(await take('a', { duration: 1000, tokens: 1 })).toBeGreaterThan(0);
        await subject.pass(199);
      }
      await subject.pass(5);
      expect(await take('a', { duration: 1000, tokens: 1 })).toBe(0);
    });

    it('OPS-24 counts every key by itself', async () => {
      for (const key of ['a', 'b', 'a|b', '']) expect(await take(key, { duration: 1000, tokens: 1 })).toBe(0);
      for (const key of ['a', 'b', 'a|b', '']) expect(await take(key, { duration: 1000, tokens: 1 })).toBe(1000);
    });

    it('OPS-6 begins anew when it is cleared', async () => {
      const once = { duration: 1000, tokens: 1 };
      await take('a', once);
      await subject.store.clear();
      expect([await take('a', once), await take('a', once)]).toEqual([0, 1000]);
    });

    it('OPS-26 pruning forgets only what is over', async () => {
      await take('old', { duration: 100, tokens: 1 });
      await take('young', { duration: 1000, tokens: 1 });
      await subject.pass(100);
      await subject.store.prune();
      expect(await take('young', { duration: 1000, tokens: 1 })).toBe(900);
      expect(await take('old', { duration: 100, tokens: 1 })).toBe(0);
    });
  });
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EphemeralStore } from '../../src/ephemeral/ephemeral-store.js';

/** A store, how time goes by for it, and how it is put away. */
export interface EphemeralStoreUnderTest {
  readonly store: EphemeralStore;
  /** Another process that asks the same store; the same one where there is only one. */
  readonly other?: EphemeralStore;
  /** Lets milliseconds go by, at least. */
  pass(milliseconds: number): void | Promise<void>;
  close?(): void | Promise<void>;
}

const MINUTE = 60_000;
/** Milliseconds that the machine may take for one of these tests, where time really goes by. */
const SLACK = 30_000;

/** What every EphemeralStore promises. */
export function ephemeralStoreContract(name: string, open: () => Promise<EphemeralStoreUnderTest>): void {
  describe(`ephemeral store: ${name}`, () => {
    let subject: EphemeralStoreUnderTest;
    let store: EphemeralStore;
    let other: EphemeralStore;

    beforeEach(async () => {
      subject = await open();
      store = subject.store;
      other = subject.other ?? store;
    });
    afterEach(() => subject.close?.());

    it('AUTH-1505 SCALE-24 remembers values for their time, everywhere', async () => {
      expect(await other.get('a:1')).toBeUndefined();
      await store.set('a:1', 'one', MINUTE);
      await store.set('a:2', { list: [1, null, true, 'ß\u0000😀'] }, 3 * MINUTE);
      expect([await other.get('a:1'), await other.get('a:2')]).toEqual(['one', { list: [1, null, true, 'ß\u0000😀'] }]);
      await subject.pass(MINUTE);
      expect([await other.get('a:1'), await store.get('a:2')]).toEqual([
        undefined,
        { list: [1, null, true, 'ß\u0000😀'] },
      ]);
      await store.set('a:2', null, MINUTE);
      expect(await other.get('a:2')).toBeNull();
      await subject.pass(MINUTE);
      expect(await other.get('a:2')).toBeUndefined();
    });

    it('SCALE-24 deletes a value for everybody', async () => {
      await store.set('a:1', 1, MINUTE);
      await other.delete('a:1');
      await other.delete('a:1');
      expect(await store.get('a:1')).toBeUndefined();
    });

    it('SCALE-24 one of many sets what is absent, and it is absent again when its time is over', async () => {
      const tries = Array.from({ length: 50 }, async (_, index) =>
        (index % 2 ? store : other).setIfAbsent('a:1', index, MINUTE),
      );
      const done = await Promise.all(tries);
      expect(done.filter(Boolean)).toHaveLength(1);
      expect(await store.get('a:1')).toBe(done.indexOf(true));
      await subject.pass(MINUTE);
      expect(await other.setIfAbsent('a:1', 'later', MINUTE)).toBe(true);
      expect(await store.setIfAbsent('a:1', 'too late', MINUTE)).toBe(false);
      expect(await store.get('a:1')).toBe('later');
    });

    it('SCALE-24 one of many takes a value, which is gone then', async () => {
      await store.set('a:1', 'gift', MINUTE);
      const taken = await Promise.all(
        Array.from({ length: 50 }, async (_, index) => (index % 2 ? store : other).take('a:1')),
      );
      expect(taken.filter((value) => value !== undefined)).toEqual(['gift']);
      expect(await store.get('a:1')).toBeUndefined();
      await store.set('a:1', 'old', MINUTE);
      await subject.pass(MINUTE);
      expect(await store.take('a:1')).toBeUndefined();
    });

    it('SCALE-24 counts exactly, however many count at the same time', async () => {
      const counts = await Promise.all(
        Array.from({ length: 200 }, async (_, index) => (index % 2 ? store : other).count('c:1', MINUTE)),
      );
      const numbers = counts.map(({ count }) => count).sort((one, two) => one - two);
      expect(numbers).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
      expect(await other.read('c:1')).toMatchObject({ count: 200 });
      expect(await other.read('c:2')).toBeUndefined();
    });

    it('AUTH-835 a window is as long as at its first count, and another one follows it', async () => {
      const first = await store.count('c:1', 2 * MINUTE);
      expect(first.count).toBe(1);
      expectLeft(first.left, 2 * MINUTE);
      await subject.pass(MINUTE);
      const second = await other.count('c:1', 2 * MINUTE);
      expect(second.count).toBe(2);
      expectLeft(second.left, MINUTE);
      expectLeft((await store.read('c:1'))!.left, MINUTE);
      await subject.pass(MINUTE);
      expect(await store.read('c:1')).toBeUndefined();
      expect(await other.count('c:1', MINUTE)).toMatchObject({ count: 1 });
    });

    it('SCALE-24 a window that is deleted begins anew', async () => {
      await store.count('c:1', MINUTE);
      await other.delete('c:1');
      expect(await store.read('c:1')).toBeUndefined();
      expect(await store.count('c:1', MINUTE)).toMatchObject({ count: 1 });
    });

    it('SCALE-24 tells keys apart by every character', async () => {
      const keys = [
        'a:',
        'a:b',
        'a:b:c',
        'a:B',
        'b:b',
        `a:${'x'.repeat(2000)}`,
        `a:${'x'.repeat(2001)}`,
        'a:\u0000',
        'a:*',
      ];
      for (const [index, key] of keys.entries()) await store.set(key, index, MINUTE);
      const found = await Promise.all(keys.map(async (key) => other.get(key)));
      expect(found).toEqual(keys.map((_, index) => index));
    });
  });
}

function expectLeft(left: number, expected: number): void {
  expect(left).toBeLessThanOrEqual(expected);
  expect(left).toBeGreaterThan(expected - SLACK);
}

import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { compare, hash } from 'bcrypt';
import { HashingQueue } from './hashing-queue.js';

/** The cost of a password field whose option says 0. */
const DEFAULT_COST = 10;

/** bcrypt looks no further than this many bytes; nothing longer is ever stored or matched (AUTH-502). */
const MAX_PASSWORD_BYTES = 72;

const BCRYPT_ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const MODULAR_CRYPT = /^\$2[aby]\$(0[4-9]|[12][0-9]|3[01])\$[./A-Za-z0-9]{53}$/;

/** One core stays free to answer requests; more than two at once would take the threads files are read with. */
const MAX_RUNNING = Math.max(1, Math.min(2, availableParallelism() - 1));
const MAX_WAITING = 1000;

/** Hashes and compares passwords with bcrypt, off the main thread and a few at a time. */
@Injectable()
export class PasswordHasher {
  private readonly queue = new HashingQueue(MAX_RUNNING, MAX_WAITING);

  /** The modular-crypt string to store. Throws when bcrypt would cut the password off instead of using all of it. */
  async hash(plain: string, cost = 0): Promise<string> {
    if (!isHashable(plain)) throw new Error('The password is longer than bcrypt can take.');
    return this.queue.run(() => hash(plain, cost || DEFAULT_COST));
  }

  /**
   * True when the password is the one the hash was made of. Always costs one comparison: at the cost of the hash, or at
   * `cost` when there is no hash or none of ours, so that the time taken does not tell an account from its absence.
   */
  async matches(plain: string, stored: string | undefined, cost = 0): Promise<boolean> {
    const isComparable = stored !== undefined && MODULAR_CRYPT.test(stored) && isHashable(plain);
    const against = isComparable ? stored.replace('$2y$', '$2b$') : unknownHash(storedCost(stored) || cost);
    const same = await this.queue.run(() => compare(isHashable(plain) ? plain : '', against));
    return isComparable && same;
  }
}

/** True when bcrypt reads the whole text: it stops at a NUL and after 72 bytes. */
export function isHashable(plain: string): boolean {
  return Buffer.byteLength(plain) <= MAX_PASSWORD_BYTES && !plain.includes('\0');
}

/**
 * The hash of a password that nobody knows, for accounts that get none of their own (AUTH-505). It is drawn, not
 * computed: no password leads to it, and it takes no time.
 */
export function unknownHash(cost = 0): string {
  const drawn = [...randomBytes(53)].map((byte) => BCRYPT_ALPHABET[byte & 63]).join('');
  return `$2b$${String(cost || DEFAULT_COST).padStart(2, '0')}$${drawn}`;
}

function storedCost(stored: string | undefined): number {
  return Number(MODULAR_CRYPT.exec(stored ?? '')?.[1] ?? 0);
}

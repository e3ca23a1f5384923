import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { FairQueue, type FairTurn } from '../kernel/fair-queue.js';
import { HashingThreads } from './hashing-threads.js';

/** The cost of a password field whose option says 0. */
const DEFAULT_COST = 10;

/** bcrypt looks no further than this many bytes; nothing longer is ever stored or matched (AUTH-502). */
const MAX_PASSWORD_BYTES = 72;

const BCRYPT_ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const MODULAR_CRYPT = /^\$2[aby]\$(0[4-9]|[12][0-9]|3[01])\$[./A-Za-z0-9]{53}$/;

/** All cores may hash, because the hashing threads have a lower priority. */
const RUNNING = availableParallelism();
const WAITING = 1000;
const WAITING_OF_CLIENT = 100;

/** Hashes and compares passwords with bcrypt, off the main thread, a few at a time and fairly between clients. */
@Injectable()
export class PasswordHasher implements OnApplicationShutdown {
  private readonly threads = new HashingThreads();
  private readonly queue = new FairQueue({
    running: RUNNING,
    waiting: WAITING,
    waitingOfClient: WAITING_OF_CLIENT,
    refusal: 'Too many passwords wait to be checked, try again later.',
  });

  onApplicationShutdown(): Promise<void> {
    return this.threads.stop();
  }

  /**
   * The modular-crypt string to store. Throws when bcrypt would cut the password off instead of using all of it, and
   * 429 when too much waits already.
   */
  async hash(plain: string, cost = 0, turn?: FairTurn): Promise<string> {
    if (!isHashable(plain)) throw new Error('The password is longer than bcrypt can take.');
    const request = { kind: 'hash', plain, salt: cost || DEFAULT_COST } as const;
    return this.queue.run(async () => (await this.threads.run(request)) as string, turn);
  }

  /**
   * True when the password is the one the hash was made of. Always costs one comparison: at the cost of the hash, or at
   * `cost` when there is no hash or none of ours, so that the time taken does not tell an account from its absence.
   * Throws 429 when too much waits already, and what the turn throws.
   */
  async matches(plain: string, stored: string | undefined, cost = 0, turn?: FairTurn): Promise<boolean> {
    const isComparable = stored !== undefined && MODULAR_CRYPT.test(stored) && isHashable(plain);
    const against = isComparable ? stored.replace('$2y$', '$2b$') : unknownHash(storedCost(stored) || cost);
    const request = { kind: 'compare', plain: isHashable(plain) ? plain : '', salt: against } as const;
    const same = await this.queue.run(() => this.threads.run(request), turn);
    return isComparable && same === true;
  }
}

/** True when bcrypt reads the whole text: it stops at a NUL and after 72 bytes. */
export function isHashable(plain: string): boolean {
  return Buffer.byteLength(plain) <= MAX_PASSWORD_BYTES && !plain.includes('\0');
}

/**
 * The hash of a password that nobody knows, for accounts without a password (AUTH-505). It is random instead of
 * computed, which takes no time.
 */
export function unknownHash(cost = 0): string {
  const drawn = [...randomBytes(53)].map((byte) => BCRYPT_ALPHABET[byte & 63]).join('');
  return `$2b$${String(cost || DEFAULT_COST).padStart(2, '0')}$${drawn}`;
}

function storedCost(stored: string | undefined): number {
  return Number(MODULAR_CRYPT.exec(stored ?? '')?.[1] ?? 0);
}

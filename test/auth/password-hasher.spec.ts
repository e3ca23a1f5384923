import { hashSync } from 'bcrypt';
import { afterAll, describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/kernel/fair-queue.js';
import { isHashable, PasswordHasher, unknownHash } from '../../src/passwords/password-hasher.js';
import { hash } from '../support/usual-passwords.js';

describe('password hashing', () => {
  const hasher = new PasswordHasher();
  afterAll(() => hasher.onApplicationShutdown());

  it('AUTH-501 stores bcrypt strings at the cost of the field, 10 when it says 0', async () => {
    expect(await hasher.hash('correct horse', 4)).toMatch(/^\$2b\$04\$.{53}$/);
    expect(await hash.call(hasher, 'correct horse')).toMatch(/^\$2b\$10\$.{53}$/);
  });

  it.each(['$2a$', '$2b$', '$2y$'])('AUTH-501 verifies hashes with the prefix %s', async (prefix) => {
    const stored = hashSync('correct horse', 4).replace('$2b$', prefix);
    expect(await hasher.matches('correct horse', stored)).toBe(true);
    expect(await hasher.matches('wrong horse', stored)).toBe(false);
  });

  it('AUTH-502 never matches a password of more than 72 bytes, and refuses to hash one', async () => {
    const stored = hashSync('x'.repeat(72), 4);
    expect(await hasher.matches('x'.repeat(72), stored)).toBe(true);
    expect(await hasher.matches('x'.repeat(73), stored)).toBe(false);
    await expect(hasher.hash('é'.repeat(37), 4)).rejects.toThrow();
    expect(isHashable('é'.repeat(36))).toBe(true);
  });

  it('AUTH-502 neither hashes nor matches a password with a NUL', async () => {
    const stored = hashSync('secret', 4);
    expect(await hasher.matches('secret\0more', stored)).toBe(false);
    await expect(hasher.hash('secret\0more', 4)).rejects.toThrow();
  });

  it.each([undefined, '', 'plain text', '$2b$04$short', '$1$04$' + 'a'.repeat(53), `$2b$99$${'a'.repeat(53)}`])(
    'AUTH-813 compares against a hash nothing matches when the stored one is %s',
    async (stored) => {
      expect(await hasher.matches('', stored, 4)).toBe(false);
      expect(await hasher.matches('plain text', stored, 4)).toBe(false);
    },
  );

  it('AUTH-505 gives an account without a password a hash of the usual form that nothing matches', async () => {
    const drawn = new Set(Array.from({ length: 50 }, () => unknownHash(4)));
    expect(drawn.size).toBe(50);
    for (const hash of drawn) expect(hash).toMatch(/^\$2b\$04\$[./A-Za-z0-9]{53}$/);
    for (const password of ['', 'password', [...drawn][0]!]) {
      expect(await hasher.matches(password, [...drawn][0]!)).toBe(false);
    }
    expect(unknownHash()).toMatch(/^\$2b\$10\$/);
  });
});

describe('password hashing that is stopped', () => {
  it('OPS-39 refuses what is being hashed and what waits with 503, and starts no thread for it', async () => {
    const hasher = new PasswordHasher();
    let threads = 0;
    const count = () => void threads++;
    process.on('worker', count);
    try {
      const compared = Array.from({ length: 50 }, () => hasher.matches('correct horse', unknownHash(12)));
      const outcomes = Promise.allSettled(compared);
      await settle();
      const started = threads;
      expect(started).toBeGreaterThan(0);
      await hasher.onApplicationShutdown();
      await expect(hasher.hash('correct horse', 4)).rejects.toMatchObject({ status: 503 });
      for (const outcome of await outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { status: 503 } });
      }
      expect(threads).toBe(started);
    } finally {
      process.off('worker', count);
    }
  });
});

describe('the hashing queue', () => {
  it('AUTH-503 runs a few at a time, the others in order of arrival, and goes on after a failure', async () => {
    const queue = new FairQueue({ running: 2, waiting: 100, waitingOfClient: 100, refusal: 'No.' });
    const started: number[] = [];
    const finish: (() => void)[] = [];
    const jobs = Array.from({ length: 6 }, (_, index) =>
      queue.run(() => {
        started.push(index);
        return new Promise<void>((resolve, reject) => {
          finish[index] = () => (index === 1 ? reject(new Error('failed')) : resolve());
        });
      }),
    );
    const outcome = Promise.allSettled(jobs);
    await settle();
    expect(started).toEqual([0, 1]);
    for (let index = 0; index < 6; index++) {
      finish[index]!();
      await settle();
      expect(started).toEqual([0, 1, 2, 3, 4, 5].slice(0, Math.min(6, index + 3)));
    }
    expect((await outcome).map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true, true]);
  });

  it('OPS-39 gives every client its turn, and every account that a client asks about', async () => {
    const line = new Line({ waiting: 100, waitingOfClient: 100 });
    for (const turn of ['a/x', 'a/x', 'a/x', 'a/y', 'b/x', 'b/x', 'c/x']) line.add(turn);
    expect(await line.order()).toEqual(['a/x', 'b/x', 'c/x', 'a/y', 'b/x', 'a/x', 'a/x']);
  });

  it('OPS-39 refuses with 429 what one client would have wait too long, and no other client', async () => {
    const line = new Line({ waiting: 100, waitingOfClient: 3 });
    for (const turn of ['a/x', 'a/x', 'a/x', 'a/x', 'b/x']) line.add(turn);
    expect(await line.order()).toEqual(['a/x', 'b/x', 'a/x', 'a/x']);
    expect(line.refused).toEqual(['a/x']);
    expect(line.errors).toEqual([expect.objectContaining({ status: 429, retryAfter: 5 })]);
  });

  it('OPS-39 makes room for another account of a client by the last in the longest line of it', async () => {
    const line = new Line({ waiting: 100, waitingOfClient: 3 });
    for (const turn of ['a/x', 'a/x', 'a/x', 'a/y', 'a/y']) line.add(turn);
    expect(await line.order()).toEqual(['a/x', 'a/y', 'a/x']);
    expect(line.refused.toSorted()).toEqual(['a/x', 'a/y']);
  });

  it('OPS-39 makes room for another client by the last in the longest line of all', async () => {
    const line = new Line({ waiting: 4, waitingOfClient: 4 });
    for (const turn of ['a/x', 'a/x', 'a/x', 'a/x', 'b/x', 'c/x', 'd/x', 'e/x']) line.add(turn);
    expect(await line.order()).toEqual(['a/x', 'b/x', 'c/x', 'd/x']);
    expect(line.refused.toSorted()).toEqual(['a/x', 'a/x', 'a/x', 'e/x']);
  });

  it('OPS-39 asks once more when the turn comes, and computes nothing for what is refused then', async () => {
    const queue = new FairQueue({ running: 1, waiting: 10, waitingOfClient: 10, refusal: 'No.' });
    let computed = 0;
    const mayStart = (): void => {
      throw new Error('refused');
    };
    const work = () => Promise.resolve(++computed);
    await expect(queue.run(work, { client: 'a', account: 'x', mayStart })).rejects.toThrow('refused');
    expect(await queue.run(work)).toBe(1);
  });
});

/** A queue that is kept busy until everybody has got in line. */
class Line {
  readonly refused: string[] = [];
  readonly errors: unknown[] = [];
  private readonly started: string[] = [];
  private readonly queue: FairQueue;
  private readonly jobs: Promise<void>[] = [];
  private release!: () => void;

  constructor(limits: { readonly waiting: number; readonly waitingOfClient: number }) {
    this.queue = new FairQueue({ running: 1, refusal: 'No.', ...limits });
    this.jobs.push(this.queue.run(() => new Promise<void>((resolve) => (this.release = resolve))));
  }

  /** `client/account` */
  add(name: string): void {
    const [client, account] = name.split('/') as [string, string];
    const work = () => Promise.resolve(void this.started.push(name));
    const refuse = (error: unknown) => {
      this.refused.push(name);
      this.errors.push(error);
    };
    this.jobs.push(this.queue.run(work, { client, account }).catch(refuse));
  }

  async order(): Promise<readonly string[]> {
    await settle();
    this.release();
    await Promise.all(this.jobs);
    return this.started;
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

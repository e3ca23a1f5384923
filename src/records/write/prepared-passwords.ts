/**
 * The slow part of saving passwords, done before the transaction that needs it: hashes that were made and old passwords
 * that were compared. Lives as long as one save or one batch.
 */
export class PreparedPasswords {
  private readonly hashes = new Map<string, string>();
  private readonly plains = new Map<string, string>();
  private readonly comparisons = new Map<string, boolean>();

  addHash(plain: string, cost: number, hash: string): void {
    this.hashes.set(keyOf(cost, plain), hash);
    this.plains.set(hash, plain);
  }

  hashOf(plain: string, cost: number): string | undefined {
    return this.hashes.get(keyOf(cost, plain));
  }

  addComparison(plain: string, hash: string, isSame: boolean): void {
    this.comparisons.set(keyOf(hash, plain), isSame);
  }

  /** Whether the hash is of this password; undefined when they were not compared. */
  matches(plain: string, hash: string): boolean | undefined {
    const made = this.plains.get(hash);
    return made === undefined ? this.comparisons.get(keyOf(hash, plain)) : made === plain;
  }
}

function keyOf(first: string | number, plain: string): string {
  return `${first}\n${plain}`;
}

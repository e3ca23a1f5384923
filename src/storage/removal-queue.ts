/** Something to be deleted, when its turn comes. */
export interface Removal {
  readonly name: string;
  run(): Promise<void>;
}

/** How many may be done before the list is cut: taking from the front of a long list one by one moves all of it. */
const CUT_AT = 1024;

/** Removals in the order in which they were asked for. A truncated collection may bring a million of them. */
export class RemovalQueue {
  private removals: Removal[] = [];
  private done = 0;

  get size(): number {
    return this.removals.length - this.done;
  }

  push(removal: Removal): void {
    this.removals.push(removal);
  }

  shift(): Removal | undefined {
    const removal = this.removals[this.done];
    if (removal === undefined) return undefined;
    this.done++;
    if (this.done >= CUT_AT && this.done * 2 >= this.removals.length) {
      this.removals = this.removals.slice(this.done);
      this.done = 0;
    }
    return removal;
  }
}

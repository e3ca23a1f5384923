/** Runs work in parallel as long as its memory stays within a budget; the rest waits in order of arrival. */
export class MemoryBudget {
  private readonly waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  private taken = 0;

  /** In bytes. */
  constructor(readonly size: number) {}

  /** Runs work that takes so many bytes, at most the whole budget, when there is room for it. */
  async run<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.waiting.length > 0 || this.taken + bytes > this.size) {
      await new Promise<void>((go) => this.waiting.push({ bytes, go }));
    } else this.taken += bytes;
    try {
      return await work();
    } finally {
      this.taken -= bytes;
      this.admit();
    }
  }

  private admit(): void {
    for (let next = this.waiting[0]; next && this.taken + next.bytes <= this.size; next = this.waiting[0]) {
      this.taken += next.bytes;
      this.waiting.shift();
      next.go();
    }
  }
}

import { Injectable } from '@nestjs/common';

/** Whether a backup is being made or restored: one at a time in this application (OPS-103). */
@Injectable()
export class BackupActivity {
  private current: { readonly key: string } | undefined;

  get isRunning(): boolean {
    return this.current !== undefined;
  }

  /** The backup that is being made or restored. */
  get key(): string | undefined {
    return this.current?.key;
  }

  /** Begins, and gives the function that ends it; undefined when another one is running. */
  tryBegin(key: string): (() => void) | undefined {
    if (this.current) return undefined;
    const activity = { key };
    this.current = activity;
    return () => {
      if (this.current === activity) this.current = undefined;
    };
  }
}

import { Injectable } from '@nestjs/common';

/** How a restore ended (OPS-104a). */
export interface RestoreOutcome {
  /** When it ended, in the product's date format. */
  readonly time: string;
  /** The name of the backup. */
  readonly backup: string;
  readonly outcome: 'restored' | 'failed';
  /** What was wrong; '' when it was restored. */
  readonly reason: string;
}

/** Whether a backup is being made or restored: one at a time in this application (OPS-103). */
@Injectable()
export class BackupActivity {
  /** The last restore of this process, or the one that was interrupted when the process before it ended. */
  lastRestore: RestoreOutcome | undefined;

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

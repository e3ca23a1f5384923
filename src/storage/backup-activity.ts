import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { INSTANCE_GONE, INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';

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

const NAME = 'backup';
const LAST_RESTORE = 'last restore';

/**
 * Whether a backup is being made or restored: one at a time in this application, whichever process does it (OPS-103).
 */
@Injectable()
export class BackupActivity implements OnModuleInit {
  /** The last restore, or the one that was interrupted when the process before this one ended. */
  lastRestore: RestoreOutcome | undefined;

  private current: { readonly key: string } | undefined;
  /** What another process makes or restores. */
  private elsewhere: string | undefined;

  constructor(@Inject(INSTANCE_LINK) private readonly link: InstanceLink) {}

  async onModuleInit(): Promise<void> {
    this.link.onBroadcast(NAME, (key) => (this.elsewhere = (key as string | null) ?? undefined));
    this.link.onBroadcast(INSTANCE_GONE, () => (this.elsewhere = undefined));
    this.link.onQuestion(LAST_RESTORE, () => this.lastRestore);
    if (!this.link.isJoining) return;
    const [known] = await this.link.askOthers(LAST_RESTORE, null);
    this.lastRestore = known as RestoreOutcome | undefined;
  }

  get isRunning(): boolean {
    return this.key !== undefined;
  }

  /** The backup that is being made or restored. */
  get key(): string | undefined {
    return this.current?.key ?? this.elsewhere;
  }

  /** Begins, and gives the function that ends it; undefined when another one is running. */
  async tryBegin(key: string): Promise<(() => void) | undefined> {
    if (this.current) return undefined;
    const activity = { key };
    this.current = activity;
    const release = await this.link.tryLock(NAME);
    if (!release) {
      this.current = undefined;
      return undefined;
    }
    this.link.broadcast(NAME, key);
    return () => {
      release();
      if (this.current !== activity) return;
      this.current = undefined;
      this.link.broadcast(NAME, null);
    };
  }
}

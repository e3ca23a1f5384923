import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { INSTANCE_GONE, INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';

const LISTEN = 'listen';
const WHO_LISTENS = 'who listens';

interface Listening {
  readonly id: string;
  readonly listens: boolean;
}

/**
 * Knows which other processes have streams, because storing an event for them and reading it there costs as much as the
 * change itself; where nobody has a stream it is not stored. This is known for workers of one parent, which reaches all
 * of them. Instances that may be disconnected from each other are assumed to have streams.
 */
@Injectable()
export class StreamInterest {
  /** The other processes that have announced streams. */
  private readonly listening = new Set<string>();
  private hasLearned = false;
  private listensHere = false;
  /** Resolves once all others know of the streams of this process. */
  private known: Promise<unknown> = Promise.resolve();
  /** Running transactions whose events are told to nobody, because there were no streams when that was decided. */
  private readonly unheard = new Set<Promise<void>>();
  /** False for instances that may be disconnected from each other. */
  private readonly isKnowable: boolean;

  constructor(
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
    private readonly database: Database,
  ) {
    this.isKnowable = link.reachesAll && database.dialect.writersTakeTurns;
    if (!this.isKnowable) return;
    link.onQuestion(WHO_LISTENS, () => (this.listensHere ? link.id : undefined));
    link.onQuestion(LISTEN, (said) => this.note(said as Listening));
    link.onBroadcast(INSTANCE_GONE, (id) => this.listening.delete(id as string));
  }

  /** Whether another process may have a stream. */
  get exists(): boolean {
    return !this.link.isAlone && (!this.hasLearned || this.listening.size > 0);
  }

  /** Whether all others have been asked, and say when it changes: this process hears everything that they say. */
  get isComplete(): boolean {
    return this.hasLearned;
  }

  /** Whether this process may have a stream. */
  get isHere(): boolean {
    return this.listensHere;
  }

  /** Asks the others whether they have streams. To be called when they already announce theirs to this process. */
  async learn(): Promise<void> {
    if (!this.isKnowable) return;
    for (const id of await this.link.askOthers(WHO_LISTENS, null)) this.listening.add(id as string);
    this.hasLearned = true;
  }

  /**
   * Announces whether this process has streams. Resolves when no process has a running transaction that leaves events
   * out.
   */
  async listen(listens: boolean): Promise<void> {
    if (listens !== this.listensHere) {
      this.listensHere = listens;
      this.known = this.announce({ id: this.link.id, listens });
    }
    await this.known;
  }

  /** Tracks the ambient transaction, of which somebody who does not listen yet is not told. */
  trackUnannounced(): void {
    const { commitWork } = this.database;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve)).then(() => void this.unheard.delete(ended));
    this.unheard.add(ended);
    commitWork.aroundCommit(() => end);
    commitWork.afterRollback(() => end());
  }

  private async announce(said: Listening): Promise<void> {
    const heard = said.listens ? Promise.all(this.unheard) : undefined;
    if (this.isKnowable) await this.link.askOthers(LISTEN, said, { withoutTimeout: true });
    await heard;
  }

  private async note({ id, listens }: Listening): Promise<void> {
    if (listens) this.listening.add(id);
    else this.listening.delete(id);
    if (listens) await Promise.all(this.unheard);
  }
}

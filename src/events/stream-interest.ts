import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { GONE, INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';

const LISTEN = 'listen';
const WHO_LISTENS = 'who listens';

interface Listening {
  readonly id: string;
  readonly listens: boolean;
}

/**
 * Which other processes have streams to be told of changes. To write an event for them and to read it there costs as much
 * as the change itself: where nobody has a stream, it is spared. It is known for workers under one parent, which reaches
 * all of them for sure; of instances that can be cut off from each other, each may have streams.
 */
@Injectable()
export class StreamInterest {
  /** The others that have streams, as far as they have said so. */
  private readonly listening = new Set<string>();
  private hasLearned = false;
  private listensHere = false;
  /** Resolves once all others know of the streams of this process. */
  private known: Promise<unknown> = Promise.resolve();
  /** Commits on their way whose events nobody wanted when they were asked for. */
  private readonly unheard = new Set<Promise<void>>();
  /** False where it cannot be known. */
  private readonly isKnowable: boolean;

  constructor(
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
    private readonly database: Database,
  ) {
    this.isKnowable = link.reachesAll && database.dialect.writersTakeTurns;
    if (!this.isKnowable) return;
    link.onQuestion(WHO_LISTENS, () => (this.listensHere ? link.id : undefined));
    link.onQuestion(LISTEN, (said) => this.note(said as Listening));
    link.onBroadcast(GONE, (id) => this.listening.delete(id as string));
  }

  /** Whether another process may have a stream. */
  get exists(): boolean {
    return !this.hasLearned || this.listening.size > 0;
  }

  /** Whether all others have been asked, and say when it changes: this process hears everything that they say. */
  get isComplete(): boolean {
    return this.hasLearned;
  }

  /** Whether this process may have a stream. */
  get isHere(): boolean {
    return this.listensHere;
  }

  /** Asks who has streams; begins when others tell this process of theirs already. */
  async learn(): Promise<void> {
    if (!this.isKnowable) return;
    for (const id of await this.link.askOthers(WHO_LISTENS, null)) this.listening.add(id as string);
    this.hasLearned = true;
  }

  /** Tells the others whether this process has streams. Resolves when none of them commits any more what it keeps to itself. */
  async listen(listens: boolean): Promise<void> {
    if (listens !== this.listensHere) {
      this.listensHere = listens;
      if (!this.isKnowable) return;
      const said: Listening = { id: this.link.id, listens };
      this.known = this.link.askOthers(LISTEN, said, { patiently: true });
    }
    await this.known;
  }

  /** The ambient transaction commits an event that nobody else is told of. */
  keepToSelf(): void {
    const { commitWork } = this.database;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve)).then(() => void this.unheard.delete(ended));
    this.unheard.add(ended);
    commitWork.aroundCommit(() => end);
    commitWork.afterRollback(() => end());
  }

  private async note({ id, listens }: Listening): Promise<void> {
    if (listens) this.listening.add(id);
    else this.listening.delete(id);
    if (listens) await Promise.all(this.unheard);
  }
}

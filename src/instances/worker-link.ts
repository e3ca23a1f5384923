import { Logger } from '@nestjs/common';
import { thrownText } from '../kernel/errors/message-of.js';
import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { AskOptions, InstanceLink, Release } from './instance-link.js';
import type { FromWorker, ToWorker } from './worker-messages.js';
import { WorkerTurns } from './worker-turns.js';

/** Sends to the parent. */
export type SendToParent = (message: FromWorker) => void;

interface OpenRequest {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The link of a worker, by way of its parent. */
export class WorkerLink implements InstanceLink {
  readonly isAlone = false;
  readonly isUp = true;
  readonly reachesAll = true;
  readonly isDirectoryLocked = true;
  private readonly logger = new Logger('Workers');
  readonly turns: WorkerTurns;
  leads = false;
  /** The parent wanted it to end before there was a listener. */
  private isToStop = false;
  private stop: (() => void) | undefined;
  private readonly listeners = new Map<string, ((payload: unknown) => void)[]>();
  private readonly answers = new Map<string, (payload: unknown) => MaybePromise<unknown>>();
  private readonly requests = new Map<number, OpenRequest>();
  private readonly leadListeners: (() => void)[] = [];
  private lastRequest = 0;

  constructor(
    readonly id: string,
    readonly isJoining: boolean,
    private readonly send: SendToParent,
  ) {
    this.turns = new WorkerTurns(
      () => send({ kind: 'wantTurn' }),
      () => send({ kind: 'passTurn' }),
    );
  }

  /** Handles a message of the parent. */
  receive(message: ToWorker): void {
    switch (message.kind) {
      case 'stop':
        this.isToStop = true;
        return this.stop?.();
      case 'lead':
        this.leads = true;
        for (const listener of this.leadListeners.splice(0)) listener();
        return;
      case 'broadcast':
        for (const listener of this.listeners.get(message.topic) ?? []) listener(message.payload);
        return;
      case 'question':
        void this.answer(message);
        return;
      case 'reply':
        return this.reply(message);
      case 'turn':
        return this.turns.granted(message.isWanted);
      case 'turnWanted':
        return this.turns.wanted();
    }
  }

  /** Calls back when the parent wants this worker to end; at once when it has said so already. */
  onStop(stop: () => void): void {
    this.stop = stop;
    if (this.isToStop) stop();
  }

  request(name: string, payload: unknown): Promise<unknown> {
    return this.ask((id) => ({ kind: 'request', id, name, payload }));
  }

  broadcast(topic: string, payload?: unknown): void {
    this.send({ kind: 'broadcast', topic, payload });
  }

  onBroadcast(topic: string, listener: (payload: unknown) => void): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
  }

  async askOthers(
    question: string,
    payload: unknown,
    { withoutTimeout = false }: AskOptions = {},
  ): Promise<readonly unknown[]> {
    const asked = this.ask((id) => ({ kind: 'ask', id, question, payload, withoutTimeout }));
    return (await asked) as readonly unknown[];
  }

  onQuestion(question: string, answer: (payload: unknown) => MaybePromise<unknown>): void {
    this.answers.set(question, answer);
  }

  async tryLock(name: string): Promise<Release | undefined> {
    return (await this.ask((id) => ({ kind: 'lock', id, name, waits: false }))) ? this.releaseOf(name) : undefined;
  }

  async lock(name: string): Promise<Release> {
    await this.ask((id) => ({ kind: 'lock', id, name, waits: true }));
    return this.releaseOf(name);
  }

  onLead(listener: () => void): void {
    if (this.leads) listener();
    else this.leadListeners.push(listener);
  }

  async runAlone<T>(work: () => Promise<T>): Promise<T> {
    await this.ask((id) => ({ kind: 'runAlone', id }));
    try {
      return await work();
    } finally {
      this.send({ kind: 'beTogether' });
    }
  }

  ready(): void {
    this.send({ kind: 'ready' });
  }

  async close(): Promise<void> {}

  /** Tells the parent that the data are damaged, so that no worker goes on. */
  damaged(): void {
    this.send({ kind: 'damaged' });
  }

  private ask(message: (id: number) => FromWorker): Promise<unknown> {
    const id = ++this.lastRequest;
    return new Promise((resolve, reject) => {
      this.requests.set(id, { resolve, reject });
      this.send(message(id));
    });
  }

  private reply({ id, value, error }: ToWorker & { kind: 'reply' }): void {
    const open = this.requests.get(id);
    this.requests.delete(id);
    if (error === undefined) open?.resolve(value);
    else open?.reject(new Error(error));
  }

  private async answer({ id, question, payload }: ToWorker & { kind: 'question' }): Promise<void> {
    let value: unknown;
    try {
      value = await this.answers.get(question)?.(payload);
    } catch (error) {
      this.logger.error(`A question of another worker failed (${question}): ${thrownText(error)}`);
    }
    this.send({ kind: 'answer', id, value });
  }

  private releaseOf(name: string): Release {
    let isHeld = true;
    return () => {
      if (isHeld) this.send({ kind: 'release', name });
      isHeld = false;
    };
  }
}

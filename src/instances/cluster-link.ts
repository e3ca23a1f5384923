import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { ServiceUnavailableError } from '../kernel/errors/service-unavailable.error.js';
import { thrownText } from '../kernel/errors/message-of.js';
import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { InstanceBus } from './instance-bus.js';
import type { InstanceLocks } from './instance-locks.js';
import { type AskOptions, INSTANCE_BACK, INSTANCE_GONE, type InstanceLink, type Release } from './instance-link.js';

const CHANNEL = 'instances';
/** Milliseconds in which other instances have to answer (RT-97). */
const ANSWER_TIME = 2_000;
/** Milliseconds between two signs of life, and after how many an instance counts as silent. */
const PRESENCE = 1_000;
const SILENCE = 5_000;

type Said =
  | { readonly kind: 'hello' | 'here' | 'bye' }
  | { readonly kind: 'broadcast'; readonly topic: string; readonly payload?: unknown }
  | { readonly kind: 'ask'; readonly id: number; readonly question: string; readonly payload: unknown }
  | { readonly kind: 'answer'; readonly to: string; readonly id: number; readonly value?: unknown };

type Message = Said & { readonly from: string };

interface OpenQuestion {
  readonly waitsFor: Set<string>;
  readonly answers: unknown[];
  readonly ofOne: boolean;
  readonly done: () => void;
}

/** The parts of a ClusterLink. */
export interface ClusterParts {
  readonly id: string;
  readonly bus: InstanceBus;
  readonly locks: InstanceLocks;
  /** The link to the workers of the same parent, or a LoneInstance. */
  readonly local: InstanceLink;
}

/**
 * The link between instances that share a database and a bus (SCALE-20). Each announces itself regularly; a silent one
 * has ended when its lock in the database is free.
 */
export class ClusterLink implements InstanceLink {
  readonly id: string;
  readonly isAlone = false;
  readonly reachesAll = false;
  readonly turns: InstanceLink['turns'];
  readonly isDirectoryLocked: boolean;
  private readonly logger = new Logger('Instances');
  private readonly bus: InstanceBus;
  private readonly locks: InstanceLocks;
  private readonly local: InstanceLink;
  private readonly closing = new AbortController();
  /** When each of the others was last heard of, by this process's clock. */
  private readonly others = new Map<string, number>();
  private readonly listeners = new Map<string, ((payload: unknown) => void)[]>();
  private readonly answers = new Map<string, (payload: unknown) => MaybePromise<unknown>>();
  private readonly questions = new Map<number, OpenQuestion>();
  private readonly leadListeners: (() => void)[] = [];
  private isServing = false;
  private hasLed = false;
  private lastQuestion = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor({ id, bus, locks, local }: ClusterParts) {
    this.id = id;
    this.bus = bus;
    this.locks = locks;
    this.local = local;
    this.turns = local.turns;
    this.isDirectoryLocked = local.isDirectoryLocked;
  }

  /** Connects, and asks who else is there. Rejects with a StartError. */
  async open(): Promise<void> {
    this.bus.onBack(() => this.back());
    await this.bus.subscribe(CHANNEL, (message) => this.receive(JSON.parse(message) as Message));
    await this.bus.open();
    await this.holdOwnName();
    // Running instances answer long before this one serves.
    await this.send({ kind: 'hello' });
  }

  /** About the data directory, of which each instance has its own. */
  get isJoining(): boolean {
    return this.local.isJoining;
  }

  get leads(): boolean {
    return this.locks.leads;
  }

  /** Whether it hears what others say. */
  get isUp(): boolean {
    return this.bus.isUp;
  }

  request(name: string, payload: unknown): Promise<unknown> {
    return this.local.request(name, payload);
  }

  broadcast(topic: string, payload?: unknown): void {
    // An instance that misses the message looks for changes when it is connected again.
    this.send({ kind: 'broadcast', topic, payload }).catch(() => undefined);
  }

  onBroadcast(topic: string, listener: (payload: unknown) => void): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
  }

  async askOthers(question: string, payload: unknown, { ofOne = false }: AskOptions = {}): Promise<readonly unknown[]> {
    if (!this.bus.isUp) throw new ServiceUnavailableError('The other instances cannot be reached at the moment.', 1);
    const waitsFor = new Set(this.others.keys());
    if (waitsFor.size === 0) return [];
    const id = ++this.lastQuestion;
    const answers: unknown[] = [];
    let timer: NodeJS.Timeout | undefined;
    const done = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ANSWER_TIME);
      this.questions.set(id, { waitsFor, answers, ofOne, done: resolve });
    });
    try {
      await this.send({ kind: 'ask', id, question, payload });
      await done;
    } catch (error) {
      throw new ServiceUnavailableError('The other instances cannot be reached at the moment.', 1, { cause: error });
    } finally {
      clearTimeout(timer);
      this.questions.delete(id);
    }
    return answers;
  }

  onQuestion(question: string, answer: (payload: unknown) => MaybePromise<unknown>): void {
    this.answers.set(question, answer);
  }

  async tryLock(name: string): Promise<Release | undefined> {
    const held = await this.locks.tryLock(name);
    return held && (() => void held.release());
  }

  async lock(name: string): Promise<Release> {
    const held = await this.locks.lock(name);
    return () => void held.release();
  }

  onLead(listener: () => void): void {
    if (this.hasLed) listener();
    else this.leadListeners.push(listener);
  }

  runAlone<T>(work: () => Promise<T>): Promise<T> {
    if (this.others.size > 0) throw new BadRequestError('Other instances serve the application; this needs it alone.');
    return this.local.runAlone(work);
  }

  ready(): void {
    this.isServing = true;
    this.local.ready();
    this.sayHere();
    this.timer = setInterval(() => {
      this.sayHere();
      for (const [id, heard] of this.others) if (performance.now() - heard > SILENCE) void this.lookFor(id);
    }, PRESENCE).unref();
    void this.locks.campaign(() => {
      this.hasLed = true;
      for (const listener of this.leadListeners.splice(0)) listener();
    });
  }

  async close(): Promise<void> {
    this.closing.abort();
    clearInterval(this.timer);
    await this.send({ kind: 'bye' }).catch(() => undefined);
    await this.bus.close();
    await this.locks.close();
  }

  private sayHere(): void {
    this.send({ kind: 'here' }).catch(() => undefined);
  }

  private send(said: Said): Promise<void> {
    return this.bus.publish(CHANNEL, JSON.stringify({ ...said, from: this.id }));
  }

  private receive(message: Message): void {
    const { from } = message;
    if (from === this.id) return;
    if (this.others.has(from)) this.others.set(from, performance.now());
    switch (message.kind) {
      case 'hello':
        if (this.isServing) this.sayHere();
        return;
      case 'here':
        this.others.set(from, performance.now());
        return;
      case 'bye':
        return this.leave(from);
      case 'broadcast':
        return this.tell(message.topic, message.payload);
      case 'ask':
        void this.answer(message);
        return;
      case 'answer':
        if (message.to === this.id) this.answered(message.id, from, message.value);
    }
  }

  private async answer({ from, id, question, payload }: Message & { kind: 'ask' }): Promise<void> {
    let value: unknown;
    try {
      value = await this.answers.get(question)?.(payload);
    } catch (error) {
      this.logger.error(`A question of another instance failed (${question}): ${thrownText(error)}`);
    }
    await this.send({ kind: 'answer', to: from, id, value }).catch(() => undefined);
  }

  private answered(id: number, from: string, value: unknown): void {
    const open = this.questions.get(id);
    if (!open?.waitsFor.delete(from)) return;
    if (value !== undefined) open.answers.push(value);
    if (open.waitsFor.size === 0 || (open.ofOne && open.answers.length > 0)) open.done();
  }

  /** Forgets when others were last heard of, because while disconnected nobody could be heard. */
  private back(): void {
    for (const id of this.others.keys()) this.others.set(id, performance.now());
    this.sayHere();
    this.tell(INSTANCE_BACK);
  }

  /** Checks whether a silent instance has ended: then the lock on its name is free. */
  private async lookFor(id: string): Promise<void> {
    if (!this.bus.isUp) return;
    this.others.set(id, performance.now());
    const held = await this.locks.tryLock(nameOf(id)).catch(() => undefined);
    if (!held) return;
    await held.release();
    this.leave(id);
  }

  private leave(id: string): void {
    if (!this.others.delete(id)) return;
    for (const [question] of this.questions) this.answered(question, id, undefined);
    this.tell(INSTANCE_GONE, id);
  }

  private tell(topic: string, payload?: unknown): void {
    for (const listener of this.listeners.get(topic) ?? []) listener(payload);
  }

  /** Keeps the lock on its own name as long as the process lives, again after each loss of the database. */
  private async holdOwnName(): Promise<void> {
    const held = await this.locks.lock(nameOf(this.id));
    void held.ended.then(async () => {
      while (!this.closing.signal.aborted) {
        try {
          await sleep(PRESENCE, undefined, { ref: false, signal: this.closing.signal });
          return await this.holdOwnName();
        } catch {
          // The database is not back yet, or this process is ending.
        }
      }
    });
  }
}

function nameOf(id: string): string {
  return `instance ${id}`;
}

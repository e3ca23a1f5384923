import { INSTANCE_GONE, type RequestAnswer } from './instance-link.js';
import type { FromWorker, ToWorker } from './worker-messages.js';

/** Milliseconds in which workers have to answer (RT-97). */
const ANSWER_TIME = 2_000;

/** A worker as its parent sees it. */
export interface HubMember {
  readonly name: string;
  send(message: ToWorker): void;
}

/** A question that is on its way. */
interface OpenQuestion {
  readonly number: number;
  readonly asker: HubMember;
  /** The asker's own number of it. */
  readonly id: number;
  readonly waitsFor: Set<HubMember>;
  readonly answers: unknown[];
  readonly timer: NodeJS.Timeout | undefined;
}

interface Waiting {
  readonly member: HubMember;
  readonly id: number;
}

/** A name that a worker holds, and those that wait for it. */
interface HeldName {
  holder: HubMember;
  readonly waiting: Waiting[];
}

/**
 * What the parent does for its workers: passes on messages and questions, keeps locks and the turn to write, and names
 * the leader. A worker that has ended releases everything.
 */
export class MessageHub {
  /** In the order in which they became ready; the first one leads. */
  private readonly ready: HubMember[] = [];
  private readonly names = new Map<string, HeldName>();
  private readonly questions = new Map<number, OpenQuestion>();
  private readonly requestAnswers = new Map<string, RequestAnswer>();
  private lastQuestion = 0;
  private writer: HubMember | undefined;
  private readonly writersToBe: HubMember[] = [];

  /** Sets what answers the requests of this name. */
  onRequest(name: string, answer: RequestAnswer): void {
    this.requestAnswers.set(name, answer);
  }

  /** Handles a message of a worker; one that is not for the hub is ignored. */
  receive(member: HubMember, message: FromWorker): void {
    switch (message.kind) {
      case 'ready':
        this.ready.push(member);
        if (this.ready.length === 1) member.send({ kind: 'lead' });
        return;
      case 'broadcast':
        for (const other of this.others(member)) other.send(message);
        return;
      case 'ask':
        return this.ask(member, message);
      case 'answer':
        return this.answer(member, message);
      case 'request':
        void this.request(member, message);
        return;
      case 'lock':
        return this.lock(member, message);
      case 'release':
        return this.release(member, message.name);
      case 'wantTurn':
        return this.wantTurn(member);
      case 'passTurn':
        return this.passTurn(member);
      default:
    }
  }

  /** The worker has ended. */
  leave(member: HubMember): void {
    const led = this.ready[0] === member;
    remove(this.ready, member);
    if (led) this.ready[0]?.send({ kind: 'lead' });
    for (const other of this.ready) other.send({ kind: 'broadcast', topic: INSTANCE_GONE, payload: member.name });
    for (const open of this.questions.values()) if (open.waitsFor.delete(member)) this.closeIfAnswered(open);
    for (const [name, { waiting }] of this.names) {
      for (const each of waiting.filter((entry) => entry.member === member)) remove(waiting, each);
      this.release(member, name);
    }
    while (remove(this.writersToBe, member));
    this.passTurn(member);
  }

  private others(member: HubMember): HubMember[] {
    return this.ready.filter((other) => other !== member);
  }

  private ask(asker: HubMember, { id, question, payload, withoutTimeout }: FromWorker & { kind: 'ask' }): void {
    const others = this.others(asker);
    const number = ++this.lastQuestion;
    const timer = withoutTimeout ? undefined : setTimeout(() => this.close(open), ANSWER_TIME);
    const open: OpenQuestion = { number, asker, id, waitsFor: new Set(others), answers: [], timer };
    this.questions.set(number, open);
    for (const other of others) other.send({ kind: 'question', id: number, question, payload });
    this.closeIfAnswered(open);
  }

  private answer(member: HubMember, { id, value }: FromWorker & { kind: 'answer' }): void {
    const open = this.questions.get(id);
    if (!open?.waitsFor.delete(member)) return;
    if (value !== undefined) open.answers.push(value);
    this.closeIfAnswered(open);
  }

  private closeIfAnswered(open: OpenQuestion): void {
    if (open.waitsFor.size === 0) this.close(open);
  }

  private close({ number, timer, asker, id, answers }: OpenQuestion): void {
    this.questions.delete(number);
    clearTimeout(timer);
    asker.send({ kind: 'reply', id, value: answers });
  }

  private async request(member: HubMember, { id, name, payload }: FromWorker & { kind: 'request' }): Promise<void> {
    try {
      const answer = this.requestAnswers.get(name);
      if (!answer) throw new Error(`There is no answer to ${name}.`);
      member.send({ kind: 'reply', id, value: await answer(payload) });
    } catch (error) {
      member.send({ kind: 'reply', id, error: String((error as Error).message) });
    }
  }

  private lock(member: HubMember, { id, name, waits }: FromWorker & { kind: 'lock' }): void {
    const held = this.names.get(name);
    if (!held) {
      this.names.set(name, { holder: member, waiting: [] });
      member.send({ kind: 'reply', id, value: true });
    } else if (waits) held.waiting.push({ member, id });
    else member.send({ kind: 'reply', id, value: false });
  }

  private release(member: HubMember, name: string): void {
    const held = this.names.get(name);
    if (held?.holder !== member) return;
    const next = held.waiting.shift();
    if (!next) {
      this.names.delete(name);
      return;
    }
    held.holder = next.member;
    next.member.send({ kind: 'reply', id: next.id, value: true });
  }

  private wantTurn(member: HubMember): void {
    if (!this.writer) return this.giveTurn(member);
    this.writersToBe.push(member);
    if (this.writersToBe.length === 1) this.writer.send({ kind: 'turnWanted' });
  }

  private passTurn(member: HubMember): void {
    if (this.writer !== member) return;
    this.writer = undefined;
    const next = this.writersToBe.shift();
    if (next) this.giveTurn(next);
  }

  private giveTurn(member: HubMember): void {
    this.writer = member;
    member.send({ kind: 'turn', isWanted: this.writersToBe.length > 0 });
  }
}

/** Whether it was there. */
function remove<T>(list: T[], item: T): boolean {
  const place = list.indexOf(item);
  if (place < 0) return false;
  list.splice(place, 1);
  return true;
}

import { Injectable } from '@nestjs/common';
import { SignInMethods } from '../collections/sign-in-methods.js';
import { plainBody, type RequestBody } from '../http/body/request-body.js';
import type { Collection } from '../kernel/collections/collection.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { GuessThrottle } from '../passwords/guess-throttle.js';
import { AuthEffects } from '../records/write/auth-effects.js';
import { AuthRecords } from '../records/auth-records.js';
import { requireActing } from '../records/acting-caller.js';
import { senderOf } from './sender.js';
import type { AuthResult } from './auth-results.js';
import { mfaIdIn } from './mfa/mfa-id.js';
import { namedAccount } from './named-account.js';
import { SignIn } from './sign-in.js';
import { isInstaller } from './superusers/installer-account.js';

/** Somebody who claims to be an account, by a way of a module's own. */
export interface SignInAttempt {
  /** As it was registered with `SignInModule`. */
  readonly method: string;
  readonly collection: Collection;
  /** The account; where there is none, what was typed to name it. */
  readonly account: RecordModel | string;
  readonly caller: Caller;
  /** What was sent, where the check may change the password: the challenge that is answered by it stays open. */
  readonly body?: RequestBody;
}

/** How a sign-in came about. */
export interface SignInOptions {
  /** As it was registered with `SignInModule`. */
  readonly method: string;
  readonly caller: Caller;
  /**
   * What was sent: rules see it as `@request.body`, and it may hold the `mfaId` of a challenge that this sign-in
   * answers, which is otherwise looked for in the query string.
   */
  readonly body?: RequestBody;
  /** What the answer tells besides token and record. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

const NOTHING = plainBody({});

/** As much as is needed to tell apart what people type. */
const NAME_LENGTH = 255;

/** Signing in by ways of a module's own: the module proves who somebody is, the rest is as with the shipped ways. */
@Injectable()
export class SignInService {
  /** The last attempt at each account that is still being looked at. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(
    private readonly methods: SignInMethods,
    private readonly signIns: SignIn,
    private readonly throttle: GuessThrottle,
    private readonly authRecords: AuthRecords,
    private readonly effects: AuthEffects,
  ) {}

  /**
   * Whether a proof is right, asked as often as guessing is allowed. Attempts at one account are looked at one after
   * another, so that those made at the same time count too. Throws 429 to a client that was wrong too often, and what
   * `check` throws, which counts as wrong.
   */
  async isRight(attempt: SignInAttempt, check: () => boolean | Promise<boolean>): Promise<boolean> {
    const { method, collection, account, caller, body = NOTHING } = attempt;
    this.requireMethod(method, collection);
    const who = typeof account === 'string' ? `?${account.slice(0, NAME_LENGTH)}` : account.id;
    const guess = { account: `${method}/${collection.id}/${who}`, ip: requireActing(caller, 'caller').ip };
    await this.throttle.require(guess);
    return this.inTurn(guess.account, async () => {
      await this.throttle.require(guess);
      let isRight = false;
      try {
        isRight = (await this.effects.answering(mfaIdIn(body.values, caller), check)) === true;
      } finally {
        await (isRight ? this.throttle.recordSuccess(guess) : this.throttle.recordFailure(guess));
      }
      return isRight;
    });
  }

  /**
   * Signs in a record whose owner has proven to be it: `authRule`, a second method, hooks and alerts are as with every
   * other way, and the answer is the same. Throws 403 when the rule keeps the record out, 401 with an `mfaId` when a
   * second method is asked for, and what hooks throw.
   */
  async signIn(record: RecordModel, { method, caller, body = NOTHING, meta }: SignInOptions): Promise<AuthResult> {
    const { collection } = record;
    this.requireMethod(method, collection);
    const sender = senderOf(body, requireActing(caller, 'caller'));
    const mfaId = mfaIdIn(body.values, caller);
    const account = await namedAccount(this.authRecords, collection, record);
    if (!account || isInstaller(account)) throw new BadRequestError('There is no such account.');
    return this.signIns.complete(account, { method, caller: sender, mfaId, meta });
  }

  private requireMethod(method: string, collection: Collection): void {
    if (this.methods.of(collection).some(({ name }) => name === method)) return;
    throw new Error(`"${method}" is not registered as a way of signing in to "${collection.name}".`);
  }

  private async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.turns.get(key);
    const turn = before ? before.then(work, work) : work();
    this.turns.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.turns.get(key) === turn) this.turns.delete(key);
    }
  }
}

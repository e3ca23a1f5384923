import { Injectable } from '@nestjs/common';
import { HookRegistry } from '../../hooks/hook-registry.js';
import { requireValid } from '../../http/dto/read-dto.js';
import { EventLoopTurn } from '../../http/event-loop/event-loop-turn.js';
import { clientOf } from '../../http/request/client-ip.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { PasswordValue } from '../../kernel/fields/password-value.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { isEmailAddress } from '../../kernel/validation/email-address.js';
import { oneOf } from '../../kernel/validation/rules.js';
import { type Guess, GuessThrottle } from '../../passwords/guess-throttle.js';
import { PasswordChecks } from '../../passwords/password-checks.js';
import { AuthEffects } from '../../records/write/auth-effects.js';
import { AuthRecords } from '../../records/auth-records.js';
import type { AuthResult } from '../auth-results.js';
import { mfaIdOf } from '../mfa/mfa-id.js';
import { namedAccount } from '../named-account.js';
import { BeforeAuthWithPassword, type PasswordAuthEvent } from '../sign-in.hooks.js';
import { SignIn } from '../sign-in.js';
import { costOf } from './account-password.js';
import type { PasswordLoginDto } from './password-login.dto.js';

/** Whose password it is said to be, and whether it is known to be right. */
interface ClaimedAccount {
  readonly record: RecordModel | undefined;
  readonly verdict: boolean | undefined;
}

/** Signing in with a password (AUTH-811 to AUTH-814). */
@Injectable()
export class PasswordLoginService {
  constructor(
    private readonly authRecords: AuthRecords,
    private readonly passwords: PasswordChecks,
    private readonly throttle: GuessThrottle,
    private readonly hooks: HookRegistry,
    private readonly effects: AuthEffects,
    private readonly signIn: SignIn,
  ) {}

  /**
   * Throws the same 400 after the same work whether the account is unknown or the password wrong, and 429 to a client
   * that was wrong too often.
   */
  async login(collection: Collection, login: PasswordLoginDto, caller: Caller): Promise<AuthResult> {
    const { identityFields } = collection.auth!.passwordAuth;
    requireValid(login, { identityField: oneOf(...identityFields)(login.identityField) });
    const { record, verdict } = await this.findClaimed(collection, login, caller);
    const password = record?.get('password');
    const isRight = await this.passwords.isRight({
      plain: login.password,
      stored: password instanceof PasswordValue ? password.hash : undefined,
      cost: costOf(collection),
      verdict,
      ...guessOf(collection, login, record, caller),
    });
    if (!record || !isRight) throw new BadRequestError('The identity or the password is wrong.');
    return this.signIn.complete(record, { method: 'password', caller, mfaId: mfaIdOf(login, caller) });
  }

  /** The account somebody claims to own, and what hooks say of the password. */
  private async findClaimed(collection: Collection, login: PasswordLoginDto, caller: Caller): Promise<ClaimedAccount> {
    const found = await this.findAccount(collection, login, caller);
    if (!this.hooks.has(BeforeAuthWithPassword, collection)) return { record: found, verdict: undefined };
    const { identity, identityField, password } = login;
    const about = { collection, caller, identity, identityField, password };
    const event: PasswordAuthEvent = { ...about, record: found ?? null, isRight: undefined };
    const guess = guessOf(collection, login, found, caller);
    // A hook that checks passwords counts as a guess like a comparison with the stored hash.
    await this.throttle.require(guess);
    try {
      await this.effects.answering(login.mfaId, () => this.hooks.run(BeforeAuthWithPassword, event, collection));
    } catch (error) {
      await this.throttle.require(guess);
      await this.throttle.recordFailure(guess);
      throw error;
    }
    const record = await namedAccount(this.authRecords, collection, event.record);
    return { record, verdict: record && verdictOf(event) };
  }

  private async findAccount(
    collection: Collection,
    login: PasswordLoginDto,
    { ip }: Caller,
  ): Promise<RecordModel | undefined> {
    // Accounts may be large, and very many may be signed in to in the same moment (OPS-39).
    await new EventLoopTurn(clientOf(ip)).begin();
    for (const field of fieldsToTry(collection, login)) {
      const record = await this.authRecords.findByIdentity(collection, field, login.identity);
      if (record) return record;
    }
    return undefined;
  }
}

/** A promise that a hook forgot to await must not count as true. */
function verdictOf({ isRight }: { readonly isRight: unknown }): boolean | undefined {
  if (isRight === undefined || typeof isRight === 'boolean') return isRight;
  throw new TypeError('A hook of BeforeAuthWithPassword must set isRight to true, false or undefined.');
}

function guessOf(
  collection: Collection,
  { identity }: PasswordLoginDto,
  record: RecordModel | undefined,
  { ip }: Caller,
): Guess {
  return { account: `${collection.id}/${record?.id ?? `?${identity}`}`, ip };
}

/** `email` first, and only for what is an address (AUTH-812). */
function fieldsToTry(collection: Collection, { identity, identityField }: PasswordLoginDto): readonly string[] {
  if (identityField !== '') return [identityField];
  const others = collection.auth!.passwordAuth.identityFields.filter((field) => field !== 'email');
  const hasEmail = others.length < collection.auth!.passwordAuth.identityFields.length;
  return hasEmail && isEmailAddress(identity) ? ['email', ...others] : others;
}

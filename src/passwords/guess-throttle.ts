import { Inject, Injectable } from '@nestjs/common';
import { AttemptWindow } from '../ephemeral/attempt-window.js';
import { EPHEMERAL_STORE, type EphemeralStore } from '../ephemeral/ephemeral-store.js';
import { EphemeralValues } from '../ephemeral/ephemeral-values.js';
import { clientOf } from '../http/request/client-ip.js';

/** An attempt to prove a secret of an account. */
export interface Guess {
  /**
   * The account and the kind of secret; for an account that does not exist what was typed instead. Undefined where
   * nothing tells whose secret is meant: then only the client counts.
   */
  readonly account: string | undefined;
  /** As `normalizeIp` spells it. */
  readonly ip: string;
}

const WINDOW = 180_000;
/**
 * Wrong guesses per window: of one client at one account, of one client at all accounts, of all clients at one account.
 */
const OF_PAIR = 10;
const OF_CLIENT = 100;
const OF_ACCOUNT = 100;
/** Guesses left to a client that is new to an account which many others guess at. */
const UNDER_ATTACK = 3;
/** How long a client counts as known to an account it has signed in to. */
const KNOWN_FOR = 30 * 24 * 60 * 60 * 1000;

/**
 * Slows down guessing of passwords and codes, independent of rate limits, without locking anybody out: wrong guesses
 * count against the client that makes them. Guesses of others do not affect a client that has signed in to the account
 * before, and leave a new client a few attempts.
 */
@Injectable()
export class GuessThrottle {
  private readonly pairs: AttemptWindow;
  private readonly clients: AttemptWindow;
  private readonly accounts: AttemptWindow;
  private readonly known: EphemeralValues<true>;

  constructor(@Inject(EPHEMERAL_STORE) store: EphemeralStore) {
    this.pairs = new AttemptWindow(store, { space: 'guesses-of-pair', attempts: OF_PAIR, window: WINDOW });
    this.clients = new AttemptWindow(store, { space: 'guesses-of-client', attempts: OF_CLIENT, window: WINDOW });
    this.accounts = new AttemptWindow(store, { space: 'guesses-of-account', attempts: OF_ACCOUNT, window: WINDOW });
    this.known = new EphemeralValues(store, 'known-client');
  }

  /** Throws 429 when this client has guessed wrong too often. */
  async require({ account, ip }: Guess): Promise<void> {
    const client = clientOf(ip);
    if (account === undefined) return this.clients.require(client);
    const pair = pairOf(account, client);
    const [ofPair, isKnown, ofClient, ofAccount] = await Promise.all([
      this.pairs.read(pair),
      this.known.get(pair),
      this.clients.read(client),
      this.accounts.read(account),
    ]);
    this.pairs.requireMore(ofPair);
    if (isKnown) return;
    this.clients.requireMore(ofClient);
    if (this.accounts.isUsedUp(ofAccount)) this.pairs.requireMore(ofPair, UNDER_ATTACK);
  }

  async recordFailure({ account, ip }: Guess): Promise<void> {
    const client = clientOf(ip);
    const counts = [this.clients.count(client)];
    if (account !== undefined) counts.push(this.pairs.count(pairOf(account, client)), this.accounts.count(account));
    await Promise.all(counts);
  }

  async recordSuccess({ account, ip }: Guess): Promise<void> {
    if (account === undefined) return;
    const pair = pairOf(account, clientOf(ip));
    await Promise.all([this.pairs.forget(pair), this.known.set(pair, true, KNOWN_FOR)]);
  }
}

function pairOf(account: string, client: string): string {
  return `${client}|${account}`;
}

import { Inject, Injectable } from '@nestjs/common';
import { MONOTONIC_CLOCK } from '../config/roost-config.js';
import { clientOf } from '../http/request/client-ip.js';
import type { Clock } from '../kernel/clock.js';
import { AttemptWindow } from '../kernel/throttling/attempt-window.js';
import { ExpiringMap } from '../kernel/throttling/expiring-map.js';

/** Somebody who claims to know a secret of an account. */
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
const MAX_KEYS = 50_000;
/** Wrong guesses in one window: of an account by one client, of all accounts by one client, of an account by all. */
const OF_PAIR = 10;
const OF_CLIENT = 100;
const OF_ACCOUNT = 100;
/** What remains to a client new to an account that many others guess at. */
const UNDER_ATTACK = 3;
/** How long a client counts as known to an account it has signed in to. */
const KNOWN_FOR = 30 * 24 * 60 * 60 * 1000;

/**
 * Slows down the guessing of passwords and codes, whatever the rate limits are set to, without locking anybody out:
 * wrong guesses count against the client that makes them. What others guess about an account takes nothing from a client
 * that has signed in to it before, and leaves a new one a few attempts.
 */
@Injectable()
export class GuessThrottle {
  private readonly pairs: AttemptWindow;
  private readonly clients: AttemptWindow;
  private readonly accounts: AttemptWindow;
  private readonly known: ExpiringMap<true>;

  constructor(@Inject(MONOTONIC_CLOCK) clock: Clock) {
    this.pairs = new AttemptWindow(clock, { attempts: OF_PAIR, window: WINDOW, maxKeys: MAX_KEYS });
    this.clients = new AttemptWindow(clock, { attempts: OF_CLIENT, window: WINDOW, maxKeys: MAX_KEYS });
    this.accounts = new AttemptWindow(clock, { attempts: OF_ACCOUNT, window: WINDOW, maxKeys: MAX_KEYS });
    this.known = new ExpiringMap(clock, MAX_KEYS);
  }

  /** Throws 429 when this client has guessed wrong too often. */
  require({ account, ip }: Guess): void {
    const client = clientOf(ip);
    if (account === undefined) return this.clients.require(client);
    const pair = pairOf(account, client);
    this.pairs.require(pair);
    if (this.known.get(pair)) return;
    this.clients.require(client);
    if (this.accounts.isUsedUp(account)) this.pairs.require(pair, UNDER_ATTACK);
  }

  wrong({ account, ip }: Guess): void {
    const client = clientOf(ip);
    this.clients.count(client);
    if (account === undefined) return;
    this.pairs.count(pairOf(account, client));
    this.accounts.count(account);
  }

  right({ account, ip }: Guess): void {
    if (account === undefined) return;
    const pair = pairOf(account, clientOf(ip));
    this.pairs.forget(pair);
    this.known.set(pair, true, KNOWN_FOR);
  }
}

function pairOf(account: string, client: string): string {
  return `${client}|${account}`;
}

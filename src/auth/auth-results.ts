import { Injectable } from '@nestjs/common';
import { HookRegistry } from '../hooks/hook-registry.js';
import { parseExpand } from '../kernel/query/expand.js';
import { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { RecordExpander } from '../records/read/record-expander.js';
import { type PreparedRecords, RecordPresenter } from '../records/read/record-presenter.js';
import { ConsistentReads } from '../records/read/consistent-reads.js';
import { TokensService } from '../tokens/tokens.service.js';
import { AfterAuth, type AuthMethod, BeforeAuth } from './auth.hooks.js';
import { type AuthResponseEvent, BeforeAuthResponse } from './sign-in.hooks.js';
import { SuperuserIps } from './superuser-ips.js';

/** The answer of every endpoint that signs somebody in (AUTH-701). */
export interface AuthResult {
  readonly token: string;
  readonly record: Readonly<Record<string, unknown>>;
  /** What the OAuth2 provider said; only of that method. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** How a record came to be signed in, and with which token. */
export interface AuthGrant {
  readonly method: AuthMethod;
  readonly caller: Caller;
  /** The token to return again; a new one when absent. */
  readonly token?: string;
  readonly refreshable?: boolean;
  /** Seconds; the collection's duration when absent or 0. */
  readonly duration?: number;
  readonly meta?: AuthResult['meta'];
  /** What follows once no hook refuses the sign-in, before the token is issued. */
  readonly accepted?: () => Promise<void>;
  /** Checks that have to be repeated when the account's collection has changed since. */
  readonly recheck?: (record: RecordModel, caller: Caller) => Promise<void>;
}

/** An account with its token, and what is shown of it. */
interface IssuedToken {
  readonly record: RecordModel;
  readonly token: string;
  readonly prepared: PreparedRecords;
}

/** Issues tokens to proven records: the last step of every sign-in. */
@Injectable()
export class AuthResults {
  constructor(
    private readonly tokens: TokensService,
    private readonly superuserIps: SuperuserIps,
    private readonly expander: RecordExpander,
    private readonly presenter: RecordPresenter,
    private readonly hooks: HookRegistry,
    private readonly reads: ConsistentReads,
  ) {}

  /** Throws 403 for a superuser from an address that is not listed, and whatever a BeforeAuth hook throws. */
  async issue(signedIn: RecordModel, grant: AuthGrant): Promise<AuthResult> {
    const { method, caller } = grant;
    // The record of a request is shared with others, so expanding and hooks get a copy.
    const record = signedIn.snapshot();
    this.superuserIps.require(record, caller.ip);
    await this.hooks.run(BeforeAuth, { record, method, caller }, record.collection);
    const { duration, meta } = await this.termsOf(record, grant);
    await grant.accepted?.();
    const issued = await this.reads.ofRecord(record, caller, async (current, asker) => {
      if (current !== record) await grant.recheck?.(current, asker);
      return this.tokenOf(current, grant, duration);
    });
    const { token } = issued;
    const shown = await this.presenter.presentOne(issued.prepared);
    const { collection } = issued.record;
    await this.hooks.runAfter(AfterAuth, { record: issued.record, method, caller }, collection);
    return meta === undefined ? { token, record: shown } : { token, record: shown, meta };
  }

  /** The duration and `meta` as the hooks leave them. */
  private async termsOf(record: RecordModel, grant: AuthGrant): Promise<Pick<AuthGrant, 'duration' | 'meta'>> {
    const { method, caller, duration, meta } = grant;
    const { collection } = record;
    if (!this.hooks.has(BeforeAuthResponse, collection)) return { duration, meta };
    const usual = duration || collection.auth!.authToken.duration;
    const event: AuthResponseEvent = { record, method, caller, duration: usual, meta: { ...meta } };
    await this.hooks.run(BeforeAuthResponse, event, collection);
    if (!Number.isSafeInteger(event.duration) || event.duration < 1) {
      throw new Error(`A hook wants a token to be good for ${event.duration} seconds.`);
    }
    return {
      duration: event.duration === usual ? duration : event.duration,
      meta: Object.keys(event.meta).length > 0 ? event.meta : undefined,
    };
  }

  /**
   * A part of a consistent read: the token and what is shown belong to the same version of the account's collection.
   * The grant is not spread into one with the duration, which would give each an object of a new shape that V8 has to
   * learn: an eighth of a refresh.
   */
  private async tokenOf(record: RecordModel, grant: AuthGrant, duration?: number): Promise<IssuedToken> {
    const { caller, refreshable } = grant;
    const { request, ip } = caller;
    const as = new Caller(record, request, ip);
    const token = grant.token ?? (await this.tokens.issue(record, 'auth', { duration, refreshable }));
    const expand = parseExpand(request.query['expand'] ?? '');
    if (expand.length > 0) await this.expander.expand([record], expand, as);
    return { record, token, prepared: await this.presenter.prepare([record], as) };
  }
}

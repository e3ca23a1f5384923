import { Injectable } from '@nestjs/common';
import { HookRegistry } from '../hooks/hook-registry.js';
import { parseExpand } from '../kernel/query/expand.js';
import { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { RecordExpander } from '../records/record-expander.js';
import { RecordPresenter } from '../records/record-presenter.js';
import { TokensService } from '../tokens/tokens.service.js';
import { AfterAuth, type AuthMethod, BeforeAuth } from './auth.hooks.js';
import { SuperuserAddresses } from './superuser-addresses.js';

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
}

/** Issues tokens to proven records: the last step of every sign-in. */
@Injectable()
export class AuthResults {
  constructor(
    private readonly tokens: TokensService,
    private readonly addresses: SuperuserAddresses,
    private readonly expander: RecordExpander,
    private readonly presenter: RecordPresenter,
    private readonly hooks: HookRegistry,
  ) {}

  /** Throws 403 for a superuser from an address that is not listed, and whatever a BeforeAuth hook throws. */
  async issue(signedIn: RecordModel, grant: AuthGrant): Promise<AuthResult> {
    const { method, caller, meta } = grant;
    // The record of a request is shared with others; expanding and hooks get one of their own.
    const record = signedIn.snapshot();
    this.addresses.require(record, caller.ip);
    await this.hooks.run(BeforeAuth, { record, method, caller }, record.collection);
    const token = grant.token ?? (await this.tokens.issue(record, 'auth', grant));
    const shown = await this.show(record, new Caller(record, caller.request, caller.ip));
    await this.hooks.runAfter(AfterAuth, { record, method, caller }, record.collection);
    return meta === undefined ? { token, record: shown } : { token, record: shown, meta };
  }

  private async show(record: RecordModel, as: Caller): Promise<Record<string, unknown>> {
    const expand = parseExpand(as.request.query['expand'] ?? '');
    if (expand.length > 0) await this.expander.expand([record], expand, as);
    return this.presenter.presentOne(record, as, { showEmail: true });
  }
}

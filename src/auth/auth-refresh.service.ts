import { Injectable } from '@nestjs/common';
import { randomText } from '../kernel/ids.js';
import type { Caller } from '../kernel/records/caller.js';
import { RecordsService } from '../records/records.service.js';
import { TokensService } from '../tokens/tokens.service.js';
import { type AuthResult, AuthResults } from './auth-results.js';
import { bearerToken } from './bearer-token.js';
import { SignIn } from './sign-in.js';

/** What signed-in callers do with their own tokens. */
@Injectable()
export class AuthRefreshService {
  constructor(
    private readonly tokens: TokensService,
    private readonly signIn: SignIn,
    private readonly results: AuthResults,
    private readonly records: RecordsService,
  ) {}

  /** A new token, or the same one when it may not be exchanged (AUTH-821). Throws 403 when the auth rule says no. */
  async refresh(caller: Caller): Promise<AuthResult> {
    const record = caller.auth!;
    await this.signIn.requireAuthRule(record, caller);
    const token = bearerToken(caller.request.headers['authorization']);
    const refreshable = this.tokens.parseUnverified(token)?.refreshable ?? false;
    return this.results.issue(record, {
      method: 'refresh',
      caller,
      refreshable,
      token: refreshable ? undefined : token,
      recheck: (current, as) => this.signIn.requireAuthRule(current, as),
    });
  }

  /** Signs the caller out everywhere, here included (AUTH-851). */
  async revoke(caller: Caller): Promise<void> {
    const { collection, id } = caller.auth!;
    await this.records.update(collection.id, id, { tokenKey: randomText(50) }, { onlyChanged: true });
  }
}

import { Injectable } from '@nestjs/common';
import { ForbiddenError } from '../kernel/errors/forbidden.error.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { RecordRules } from '../records/record-rules.js';
import { AuthAlerts } from './auth-alerts.js';
import { type AuthResult, AuthResults } from './auth-results.js';
import { ConsistentReads } from '../records/read/consistent-reads.js';
import { MfaService } from './mfa/mfa.service.js';
import { SuperuserIps } from './superuser-ips.js';

/** Credentials that were found to be right. */
export interface ProvenCredentials {
  /** By which somebody proves who they are. Also the `@request.context` of their rules (AUTH-407). */
  readonly method: string;
  readonly caller: Caller;
  /** The id of an MFA challenge that this sign-in answers, '' when there is none. */
  readonly mfaId: string;
  readonly meta?: AuthResult['meta'];
}

/** What follows once credentials are proven, whatever the method (AUTH-702). */
@Injectable()
export class SignIn {
  constructor(
    private readonly superuserIps: SuperuserIps,
    private readonly rules: RecordRules,
    private readonly mfa: MfaService,
    private readonly alerts: AuthAlerts,
    private readonly results: AuthResults,
    private readonly reads: ConsistentReads,
  ) {}

  /** Throws 403 when the record may not sign in, an MfaRequiredError when a second method is asked for. */
  async complete(record: RecordModel, { method, caller, mfaId, meta }: ProvenCredentials): Promise<AuthResult> {
    const asker = caller.withRequest({ context: method });
    this.superuserIps.require(record, caller.ip);
    await this.requireAuthRule(record, asker);
    await this.mfa.require(record, { method, caller: asker, mfaId });
    const accepted = () => this.alerts.notice(record, asker);
    const recheck = (current: RecordModel, as: Caller) => this.requireAuthRule(current, as);
    return this.results.issue(record, { method, caller: asker, refreshable: true, meta, accepted, recheck });
  }

  /** Throws 403 when the collection's `authRule` keeps the record out. Superusers may let anybody in. */
  async requireAuthRule(record: RecordModel, caller: Caller): Promise<void> {
    if (caller.isSuperuser || record.collection.auth!.authRule === '') return;
    const mayEnter = await this.reads.ofRecord(record, caller, (current, as) =>
      this.rules.satisfies(current, current.collection.auth!.authRule, as),
    );
    if (!mayEnter) throw new ForbiddenError('This account may not sign in.');
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { CollectionStore } from '../../collections/collection-store.js';
import { AttemptWindow } from '../../ephemeral/attempt-window.js';
import { EPHEMERAL_STORE, type EphemeralStore } from '../../ephemeral/ephemeral-store.js';
import { clientOf } from '../../http/request/client-ip.js';
import { requireValid } from '../../http/dto/read-dto.js';
import { fieldError } from '../../kernel/errors/error-codes.js';
import type { FieldError } from '../../kernel/errors/field-error.js';
import { ForbiddenError } from '../../kernel/errors/forbidden.error.js';
import { type Caller, SUPERUSERS_ID } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { PasswordHasher } from '../../passwords/password-hasher.js';
import { AuthRecords } from '../../records/auth-records.js';
import { RecordsService } from '../../records/records.service.js';
import { TokensService } from '../../tokens/tokens.service.js';
import { type AuthResult, AuthResults } from '../auth-results.js';
import { newPassword, unknownPassword } from '../password/account-password.js';
import { INSTALLER_EMAIL, installerAddressError, isInstaller } from './installer-account.js';
import type { SetupDto, SetupStatus } from './setup.dto.js';

const LINK_DURATION = 30 * 60;

/** The first visit: there is no superuser yet, and somebody has to become one (AUTH-1205 to AUTH-1208). */
@Injectable()
export class SetupService {
  private readonly attempts: AttemptWindow;

  constructor(
    private readonly store: CollectionStore,
    private readonly records: RecordsService,
    private readonly authRecords: AuthRecords,
    private readonly tokens: TokensService,
    private readonly results: AuthResults,
    private readonly hasher: PasswordHasher,
    @Inject(EPHEMERAL_STORE) ephemeral: EphemeralStore,
  ) {
    this.attempts = new AttemptWindow(ephemeral, { space: 'setup', attempts: 10, window: 60_000 });
  }

  async status(): Promise<SetupStatus> {
    const isNeeded = await this.isNeeded();
    return { required: isNeeded, tokenRequired: isNeeded };
  }

  /** Counts an attempt of this client. Throws 429 for more than ten in a minute. */
  countAttempt(ip: string): Promise<void> {
    return this.attempts.take(clientOf(ip));
  }

  /**
   * Creates the first superuser and signs in as it. Throws 403 when there is one, also when another call of this
   * moment was first, and a ValidationError for wrong values or a wrong token.
   */
  async complete(form: SetupDto, caller: Caller): Promise<AuthResult> {
    if (!(await this.isNeeded())) throw alreadyDone();
    requireValid(form, { email: installerAddressError(form.email), token: await this.tokenError(form.token) });
    const record = await this.create(form, caller);
    return this.results.issue(record, { method: 'setup', caller, refreshable: true });
  }

  /**
   * A token that makes the first superuser, good for half an hour; undefined when there is one. Creates the account
   * behind it when it is missing, and shuts out whoever had an earlier token.
   */
  async invite(): Promise<string | undefined> {
    if (!(await this.isNeeded())) return undefined;
    const collection = this.store.catalog.find(SUPERUSERS_ID)!;
    const password = unknownPassword(collection);
    const known = await this.authRecords.findByIdentity(collection, 'email', INSTALLER_EMAIL);
    const installer = known
      ? await this.records.update(SUPERUSERS_ID, known.id, { password }, { onlyChanged: true })
      : await this.records.create(SUPERUSERS_ID, { email: INSTALLER_EMAIL, password, verified: true });
    return this.tokens.issue(installer, 'auth', { duration: LINK_DURATION, refreshable: false });
  }

  private async create(form: SetupDto, { ip }: Caller): Promise<RecordModel> {
    const collection = this.store.catalog.find(SUPERUSERS_ID)!;
    const password = await newPassword(this.hasher, { collection, plain: form.password, ip });
    return this.records.transaction(async () => {
      // The token is issued for the installer account, which exists until there is a superuser.
      const installer = await this.authRecords.findByIdentity(collection, 'email', INSTALLER_EMAIL);
      const isOurs = installer && (await this.records.consume(SUPERUSERS_ID, installer.id));
      if (!isOurs) throw alreadyDone();
      return this.records.create(SUPERUSERS_ID, { email: form.email, password, verified: true });
    });
  }

  private async tokenError(token: string): Promise<FieldError | undefined> {
    const record = await this.authRecords.findByToken(token, 'auth');
    return record && isInstaller(record) ? undefined : fieldError('validation_invalid_token');
  }

  private async isNeeded(): Promise<boolean> {
    const real = await this.records.findFirst(SUPERUSERS_ID, 'email != {:installer}', { installer: INSTALLER_EMAIL });
    return real === undefined;
  }
}

function alreadyDone(): ForbiddenError {
  return new ForbiddenError('There is a superuser already.');
}

import { Injectable } from '@nestjs/common';
import { EXTERNAL_AUTHS } from '../../collections/account-collections.js';
import { Database } from '../../database/database.js';
import { HookRegistry } from '../../hooks/hook-registry.js';
import type { Collection } from '../../kernel/collections/collection.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { AuthRecords, identityKey } from '../../records/auth-records.js';
import { RecordsService } from '../../records/records.service.js';
import { namedAccount } from '../named-account.js';
import { unknownPassword } from '../password/account-password.js';
import { BeforeAuthWithOAuth2, type OAuth2AuthEvent } from '../sign-in.hooks.js';
import type { OAuth2Identity } from './oauth2-identity.js';
import { OAuth2SignUp } from './oauth2-sign-up.js';

/** The record somebody signed in as, and whether it was made for them. */
export interface ResolvedAccount {
  readonly record: RecordModel;
  readonly isNew: boolean;
}

/** Which record a provider's user is (AUTH-904), and what becomes of it (AUTH-905). */
@Injectable()
export class OAuth2Accounts {
  constructor(
    private readonly database: Database,
    private readonly records: RecordsService,
    private readonly authRecords: AuthRecords,
    private readonly signUp: OAuth2SignUp,
    private readonly hooks: HookRegistry,
  ) {}

  /**
   * Finds or makes the record, once hooks agree. Throws a ValidationError when it is linked to another user of the
   * provider.
   */
  async resolve(identity: OAuth2Identity, createData: Readonly<Record<string, unknown>>): Promise<ResolvedAccount> {
    if (!this.hooks.has(BeforeAuthWithOAuth2, identity.collection)) return this.enterOrSignUp(identity, createData);
    const { collection, client, user, caller } = identity;
    const found = (await this.find(identity)) ?? null;
    const about = { collection, caller, provider: client.provider.name, user };
    const event: OAuth2AuthEvent = { ...about, record: found, isNew: found === null, createData };
    await this.hooks.run(BeforeAuthWithOAuth2, event, collection);
    const named = await namedAccount(this.authRecords, collection, event.record);
    const isOther = named !== undefined && named.id !== found?.id;
    return this.enterOrSignUp(isOther ? { ...identity, named: named.id } : identity, event.createData);
  }

  private async enterOrSignUp(
    identity: OAuth2Identity,
    createData: Readonly<Record<string, unknown>>,
  ): Promise<ResolvedAccount> {
    const known = await this.enter(identity);
    if (known) return { record: known, isNew: false };
    try {
      return { record: await this.signUp.create(identity, createData), isNew: true };
    } catch (error) {
      // Another sign-up of the same user may have been first; then this one is a sign-in (AUTH-911).
      const winner = (await this.findLink(identity)) && (await this.enter(identity));
      if (winner) return { record: winner, isNew: false };
      throw error;
    }
  }

  /** Brings an existing record and its link up to date, in one transaction; undefined when there is none. */
  private async enter(identity: OAuth2Identity): Promise<RecordModel | undefined> {
    if (!(await this.find(identity))) return undefined;
    return this.records.transaction(async () => {
      const { id } = (await this.find(identity)) ?? {};
      if (id === undefined) return undefined;
      // Sign-ins of the same account run one after another here, because they change its links.
      await this.database.lock(`links of ${identity.collection.id} ${id}`);
      const record = await this.find(identity);
      return record && this.update(record, identity);
    });
  }

  private async find(identity: OAuth2Identity): Promise<RecordModel | undefined> {
    const { collection, user, caller, named } = identity;
    if (named !== undefined) return this.authRecords.findById(collection, named);
    const link = await this.findLink(identity);
    const linked = link && (await this.authRecords.findById(collection, link.get('recordRef') as string));
    if (linked) return linked;
    if (caller.auth?.collection.id === collection.id) return this.authRecords.findById(collection, caller.auth.id);
    return this.authRecords.findByIdentity(collection, 'email', user.email);
  }

  private async update(record: RecordModel, identity: OAuth2Identity): Promise<RecordModel> {
    const { collection } = identity;
    const wasVerified = record.get('verified') === true;
    const changes = wasVerified ? emailOf(record, identity) : this.proofOf(record, identity);
    const updated =
      Object.keys(changes).length > 0
        ? await this.records.update(collection.id, record.id, changes, { onlyChanged: true })
        : record;
    if (!wasVerified) await this.unlinkAll(record);
    if (!(await this.findLink(identity))) await this.signUp.link(record, identity);
    return updated;
  }

  /**
   * The changes when the provider proves an address that was unverified. Somebody else may have registered it with a
   * password of theirs, so that is replaced (AUTH-905).
   */
  private proofOf(record: RecordModel, identity: OAuth2Identity): Record<string, unknown> {
    const { collection, user, caller } = identity;
    const isOwn = caller.auth?.id === record.id && caller.auth.collection.id === collection.id;
    const email = record.get('email') as string;
    return {
      ...emailOf(record, identity),
      ...(isOwn ? {} : { password: unknownPassword(collection) }),
      ...(email === '' || isSameEmail(collection, email, user.email) ? { verified: true } : {}),
    };
  }

  private async unlinkAll(record: RecordModel): Promise<void> {
    const { items } = await this.records.find(EXTERNAL_AUTHS, {
      filter: 'collectionRef = {:collection} && recordRef = {:record}',
      params: { collection: record.collection.id, record: record.id },
      perPage: 500,
      skipTotal: true,
    });
    for (const { id } of items) await this.records.delete(EXTERNAL_AUTHS, id);
  }

  private findLink({ collection, client, user }: OAuth2Identity): Promise<RecordModel | undefined> {
    return this.records.findFirst(
      EXTERNAL_AUTHS,
      'collectionRef = {:collection} && provider = {:provider} && providerId = {:id}',
      { collection: collection.id, provider: client.provider.name, id: user.id },
    );
  }
}

/** The provider's address for a record that has none. */
function emailOf(record: RecordModel, { user }: { readonly user: { readonly email: string } }): { email?: string } {
  return record.get('email') === '' && user.email !== '' ? { email: user.email } : {};
}

function isSameEmail(collection: Collection, one: string, other: string): boolean {
  return identityKey(collection, 'email', one) === identityKey(collection, 'email', other);
}

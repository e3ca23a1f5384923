import { Injectable, Logger } from '@nestjs/common';
import { EXTERNAL_AUTHS } from '../../collections/account-collections.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { uniqueColumns } from '../../kernel/collections/index-definition.js';
import type { Upload } from '../../kernel/files/upload.js';
import { SUPERUSERS_ID } from '../../kernel/records/caller.js';
import { RecordModel } from '../../kernel/records/record-model.js';
import { ForbiddenError } from '../../kernel/errors/forbidden.error.js';
import { RateLimiter } from '../../rate-limits/rate-limiter.js';
import { AuthRecords, identityKey } from '../../records/auth-records.js';
import { RecordValidator } from '../../records/write/record-validator.js';
import { RecordsService } from '../../records/records.service.js';
import { unknownPassword } from '../password/account-password.js';
import { AvatarFiles } from './avatar-files.js';
import type { OAuth2Identity } from './oauth2-identity.js';

/** The values of a new record, and the picture that goes with them. */
interface SignUpInput {
  readonly values: Record<string, unknown>;
  readonly avatar: { readonly field: string; readonly upload: Upload } | undefined;
}

/** Makes the record of somebody who comes from a provider for the first time (AUTH-907). */
@Injectable()
export class OAuth2SignUp {
  private readonly logger = new Logger('OAuth2');

  constructor(
    private readonly records: RecordsService,
    private readonly authRecords: AuthRecords,
    private readonly validator: RecordValidator,
    private readonly rateLimiter: RateLimiter,
    private readonly avatars: AvatarFiles,
  ) {}

  /**
   * Creates the record as its future owner would, through the create rule, and links it, in one transaction.
   * Throws 403, 400 or a ValidationError as creating a record does, and 429.
   */
  async create(identity: OAuth2Identity, createData: Readonly<Record<string, unknown>>): Promise<RecordModel> {
    const { collection, caller } = identity;
    if (collection.id === SUPERUSERS_ID) throw new ForbiddenError('Superusers are not made this way.');
    const url = `/api/collections/${collection.name}/records`;
    await this.rateLimiter.require({ tags: ['create'], collection, method: 'POST', url }, caller);
    const { values, avatar } = await this.inputOf(identity, createData);
    try {
      const created = await this.records.create(collection.id, values, {
        as: caller.withRequest({ context: 'oauth2', method: 'POST', query: {} }),
        files: avatar && new Map([[avatar.field, [avatar.upload]]]),
        also: (record) => this.complete(record, identity),
      });
      return (await this.authRecords.findById(collection, created.id))!;
    } finally {
      if (avatar) await this.avatars.dispose(avatar.upload);
    }
  }

  /**
   * Remembers that the record is this user of the provider. Throws a ValidationError when it is another one already.
   */
  async link(record: RecordModel, { collection, client, user }: OAuth2Identity): Promise<void> {
    await this.records.create(EXTERNAL_AUTHS, {
      collectionRef: collection.id,
      recordRef: record.id,
      provider: client.provider.name,
      providerId: user.id,
    });
  }

  private async complete(record: RecordModel, identity: OAuth2Identity): Promise<void> {
    const { collection, user } = identity;
    const [own, proven] = [record.get('email') as string, user.email].map((email) =>
      identityKey(collection, 'email', email),
    );
    if (own === proven) await this.records.update(collection.id, record.id, { verified: true });
    await this.link(record, identity);
  }

  /** What was submitted wins over what the provider says, except that an empty address counts as none. */
  private async inputOf(
    { collection, user }: OAuth2Identity,
    createData: Readonly<Record<string, unknown>>,
  ): Promise<SignUpInput> {
    const { mappedFields } = collection.auth!.oauth2;
    const values: Record<string, unknown> = { ...createData };
    const isOpen = (field: string) => field !== '' && !Object.hasOwn(values, field);
    if (!values['email']) values['email'] = user.email || user.suggestedEmail;
    if (!values['password']) values['password'] = unknownPassword(collection);
    if (isOpen(mappedFields.id)) values[mappedFields.id] = user.id;
    if (isOpen(mappedFields.name) && user.name) values[mappedFields.name] = user.name;
    if (isOpen(mappedFields.username) && (await this.isUsable(collection, mappedFields.username, user.username))) {
      values[mappedFields.username] = user.username;
    }
    if (!isOpen(mappedFields.avatarURL) || !user.avatarURL) return { values, avatar: undefined };
    if (!this.holdsFiles(collection, mappedFields.avatarURL)) {
      values[mappedFields.avatarURL] = user.avatarURL;
      return { values, avatar: undefined };
    }
    return { values, avatar: await this.download(collection, mappedFields.avatarURL, user.avatarURL) };
  }

  /** False for a name that the field refuses or that somebody else has. */
  private async isUsable(collection: Collection, field: string, username: string): Promise<boolean> {
    if (username === '') return false;
    const probe = RecordModel.blank(collection);
    probe.set(field, username);
    if ((await this.validator.errorsOf(probe))[field]) return false;
    return !isUnique(collection, field) || !(await this.authRecords.findByIdentity(collection, field, username));
  }

  private holdsFiles(collection: Collection, name: string): boolean {
    const field = collection.field(name);
    return field !== undefined && collection.typeOf(field).holdsFiles === true;
  }

  /** A picture that cannot be had, or that the field does not take, is left out (AUTH-908). */
  private async download(collection: Collection, field: string, url: string): Promise<SignUpInput['avatar']> {
    let upload: Upload | undefined;
    try {
      upload = await this.avatars.fetch(url, collection.field(field)!);
      const probe = RecordModel.blank(collection);
      probe.set(field, upload.name);
      probe.addUploads(field, [upload]);
      const error = (await this.validator.errorsOf(probe))[field];
      if (!error) return { field, upload };
      this.logger.warn(`The avatar was left out: ${String(error['message'])}`);
    } catch (error) {
      this.logger.warn(`The avatar was left out: ${String(error)}`);
    }
    if (upload) await this.avatars.dispose(upload);
    return undefined;
  }
}

function isUnique(collection: Collection, field: string): boolean {
  return uniqueColumns(collection.indexes).some(({ name }) => name === field);
}

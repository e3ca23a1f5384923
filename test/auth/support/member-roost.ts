import { CollectionsService } from '../../../src/collections/collections.service.js';
import type { RecordModel } from '../../../src/kernel/records/record-model.js';
import { RecordsService } from '../../../src/records/records.service.js';
import { SettingsService } from '../../../src/settings/settings.service.js';
import type { TestResponse, TestRoost, TestRoostOptions } from '../../../src/testing/index.js';
import { startRoost } from '../../support/roost.js';

export const PASSWORD = 'correct horse';

/** An auth collection everybody may look at, with passwords that are quick to check. */
const MEMBERS = {
  id: 'pbc_members_001',
  name: 'members',
  type: 'auth',
  listRule: '',
  viewRule: '',
  createRule: '',
  updateRule: 'id = @request.auth.id',
  deleteRule: 'id = @request.auth.id',
  authAlert: { enabled: false },
  fields: [
    { name: 'password', type: 'password', min: 8, cost: 4 },
    { name: 'name', type: 'text' },
    { name: 'username', type: 'text', max: 20 },
    { name: 'banned', type: 'bool' },
    { name: 'avatar', type: 'file', maxSelect: 1, maxSize: 1000, mimeTypes: ['image/png'] },
    { name: 'friend', type: 'relation', collectionId: 'pbc_members_001', maxSelect: 1 },
  ],
  indexes: ["CREATE UNIQUE INDEX idx_members_username ON members (username) WHERE username != ''"],
};

/** Values of a record that differ from those of an ordinary, verified member. */
type MemberValues = Readonly<Record<string, unknown>>;

/** A test application with a collection of members, and short ways to what the specs on accounts do all the time. */
export class MemberRoost {
  private mailsSeen = 0;
  /** The collection as it was created. */
  private definition: Record<string, unknown> = {};

  private constructor(readonly roost: TestRoost) {}

  /** `options` are laid over the collection's. */
  static async start(options: Record<string, unknown> = {}, roost: TestRoostOptions = {}): Promise<MemberRoost> {
    const started = new MemberRoost(await startRoost(roost));
    started.roost.clock.freeze();
    await started.roost.createCollections({ ...MEMBERS, ...options });
    const { body } = await started.get('/api/collections/members', await started.superuser());
    // What it was given has the secrets that are never shown.
    started.definition = { ...(body as object), ...options };
    return started;
  }

  get records(): RecordsService {
    return this.roost.app.get(RecordsService, { strict: false });
  }

  /** The mails since the last reset. */
  get mails(): TestRoost['mails'] {
    return this.roost.mails.slice(this.mailsSeen);
  }

  /**
   * As good as new and a good deal quicker: no members, the collection as it was created, settings without rate limits,
   * and so much later that nothing is remembered.
   */
  async reset(): Promise<void> {
    this.roost.clock.advance(3 * 86_400_000);
    const { items } = await this.records.find('members', { perPage: 500 });
    for (const { id } of items) await this.records.delete('members', id);
    await this.configure(this.definition);
    await this.roost.app.get(SettingsService, { strict: false }).patch({ rateLimits: { enabled: false } });
    this.mailsSeen = this.roost.mails.length;
  }

  close(): Promise<void> {
    return this.roost.close();
  }

  /** Changes options of the collection, `members` unless it says otherwise. */
  async configure(options: Record<string, unknown>, collection = 'members'): Promise<void> {
    await this.roost.app.get(CollectionsService, { strict: false }).update(collection, options);
  }

  addMember(email: string, values: MemberValues = {}): Promise<RecordModel> {
    return this.records.create('members', { email, password: PASSWORD, verified: true, ...values });
  }

  /** The record as it is stored now. */
  member(id: string): Promise<RecordModel> {
    return this.records.findOne('members', id);
  }

  /** A POST to an auth endpoint of the members, or to a path that begins with a slash. */
  post(path: string, body?: unknown, options: PostOptions = {}): Promise<TestResponse> {
    const url = path.startsWith('/') ? path : `/api/collections/members/${path}`;
    return this.roost.inject({ method: 'POST', url, body, ...options });
  }

  get(url: string, token?: string): Promise<TestResponse> {
    return this.roost.inject({ url, token });
  }

  /** Signs in with the password every member has; the answer must be 200. */
  async signIn(email: string, options: PostOptions = {}): Promise<string> {
    const response = await this.post('auth-with-password', { identity: email, password: PASSWORD }, options);
    if (response.status !== 200) throw new Error(`The sign-in failed: ${response.text}`);
    return (response.body as { token: string }).token;
  }

  /** Whether a token is good for its record still. */
  async isGood(token: string, collection = 'members'): Promise<boolean> {
    const { status } = await this.post(`/api/collections/${collection}/auth-refresh`, undefined, { token });
    return status === 200;
  }

  superuser(): Promise<string> {
    return this.roost.signIn('_superusers', 'root@example.com');
  }

  /** The ids of the records of a system collection that belong to an account. */
  async rowsOf(collection: string, record: RecordModel): Promise<RecordModel[]> {
    const { items } = await this.records.find(collection, {
      filter: 'collectionRef = {:collection} && recordRef = {:record}',
      params: { collection: record.collection.id, record: record.id },
      sort: 'created',
      perPage: 100,
    });
    return [...items];
  }

  /** Resolves when this many mails have gone out, behind the back of the answers. */
  async mailsSent(count: number): Promise<TestRoost['mails']> {
    for (let round = 0; round < 1000 && this.mails.length < count; round++) await settle();
    for (let round = 0; round < 5; round++) await settle();
    return this.mails;
  }

  /** The same, and waits for mails that should not go out. */
  async allMails(count: number): Promise<TestRoost['mails']> {
    await this.mailsSent(count);
    await new Promise((resolve) => setTimeout(resolve, 200));
    return this.mails;
  }
}

/** Who asks and from where. */
export interface PostOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remoteAddress?: string;
}

/** Lets background work have its turns. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 2));
}

/** The token of the link in a mail. */
export function tokenIn(mail: { readonly html: string }): string {
  return /#\/auth\/[a-z-]+\/([\w.-]+)/.exec(mail.html)![1]!;
}

/** The code in a mail with a one-time password. */
export function codeIn(mail: { readonly text: string }): string {
  return /\b(\d{4,})\b/.exec(mail.text)![1]!;
}

import { Inject, Injectable, Logger } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { Database } from '../database/database.js';
import { StreamInterest } from '../events/stream-interest.js';
import { toApiError } from '../http/answer/error-body.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import { ApiError } from '../kernel/errors/api-error.js';
import { thrownText } from '../kernel/errors/message-of.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import type { RequestInfo } from '../kernel/records/request-info.js';
import { AuthRecords } from '../records/auth-records.js';
import { SseHub } from '../sse/sse-hub.js';
import { identityOf } from './realtime-client.js';
import { RealtimeClients } from './realtime-clients.js';

/** What a client wants to listen to from now on. */
export interface SubscriptionRequest {
  readonly clientId: string;
  readonly topics: ReadonlySet<string>;
}

/** How many streams there are in one process. */
export interface StreamCounts {
  readonly all: number;
  readonly ofIp: number;
  readonly ofAccount: number;
}

const SUBSCRIBE = 'subscribe';
const COUNT = 'count streams';

interface WrittenRequest {
  readonly clientId: string;
  readonly topics: readonly string[];
  readonly auth: { readonly collection: string; readonly id: string; readonly tokenKey: unknown } | null;
  readonly request: RequestInfo;
  readonly ip: string;
}

/** What became of it where the stream is. */
interface Outcome {
  readonly failure?: WrittenFailure;
}

interface WrittenFailure {
  readonly status: number;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the process that holds the stream would have answered. */
class FailureElsewhere extends ApiError {
  constructor(private readonly failure: WrittenFailure) {
    super(failure.status, failure.message, failure.data);
  }

  override get headers(): Readonly<Record<string, string>> {
    return this.failure.headers;
  }
}

interface CountedFor {
  readonly ip: string;
  readonly account: string | null;
}

/** Streams that other processes hold, which serve the same application (RT-97). */
@Injectable()
export class OtherInstances {
  private readonly logger = new Logger('Realtime');
  /** Streams that are about to open. */
  private opening = 0;

  constructor(
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
    private readonly clients: RealtimeClients,
    private readonly store: CollectionStore,
    private readonly authRecords: AuthRecords,
    private readonly database: Database,
    private readonly interest: StreamInterest,
    hub: SseHub,
  ) {
    hub.onStreamEnd(() => void this.tellInterest());
    link.onQuestion(COUNT, (wanted) => this.count(wanted as CountedFor));
  }

  /** Whether there are other instances. */
  get exist(): boolean {
    return !this.link.isAlone;
  }

  /** Has the process that holds the stream replace its topics. Throws what that throws, and 404 when none holds it. */
  async subscribe({ clientId, topics }: SubscriptionRequest, { auth, request, ip }: Caller): Promise<void> {
    const { context, method, query, headers, body } = request;
    const written: WrittenRequest = {
      clientId,
      topics: [...topics],
      auth: auth && { collection: auth.collection.id, id: auth.id, tokenKey: auth.get('tokenKey') },
      request: { context, method, query, headers, body },
      ip,
    };
    const [outcome] = (await this.link.askOthers(SUBSCRIBE, written, { ofOne: true })) as readonly Outcome[];
    if (!outcome) throw new NotFoundError('There is no such realtime client.');
    const { failure } = outcome;
    if (failure) throw new FailureElsewhere(failure);
  }

  /** Has requests that arrived elsewhere carried out where the stream is. */
  onSubscribe(replace: (wanted: SubscriptionRequest, caller: Caller) => Promise<void>): void {
    this.link.onQuestion(SUBSCRIBE, async (payload) => {
      const written = payload as WrittenRequest;
      if (!this.clients.find(written.clientId)) return undefined;
      const wanted = { clientId: written.clientId, topics: new Set(written.topics) };
      return this.outcomeOf(async () => {
        await this.database.catchUp();
        return replace(wanted, await this.callerOf(written));
      });
    });
  }

  /** Opens a stream that misses nothing of what others change. */
  async opens(open: () => Promise<void>): Promise<void> {
    this.opening++;
    try {
      await this.tellInterest();
      await open();
    } finally {
      this.opening--;
      void this.tellInterest();
    }
  }

  /** The streams of all others together. */
  async streams(ip: string, auth: RecordModel | null): Promise<StreamCounts> {
    const wanted: CountedFor = { ip, account: auth && identityOf(auth) };
    const counts = (await this.link.askOthers(COUNT, wanted)) as readonly StreamCounts[];
    return counts.reduce(
      (sum, { all, ofIp, ofAccount }) => ({
        all: sum.all + all,
        ofIp: sum.ofIp + ofIp,
        ofAccount: sum.ofAccount + ofAccount,
      }),
      { all: 0, ofIp: 0, ofAccount: 0 },
    );
  }

  private count({ ip, account }: CountedFor): StreamCounts {
    const { clients } = this;
    const ofAccount = account === null ? 0 : clients.countOfIdentity(account);
    return { all: clients.size, ofIp: clients.countOfIp(ip), ofAccount };
  }

  private tellInterest(): Promise<void> {
    return this.interest.listen(this.opening > 0 || this.clients.size > 0);
  }

  /** Who has asked there, as the account is now. */
  private async callerOf({ auth, request, ip }: WrittenRequest): Promise<Caller> {
    const collection = auth && this.store.catalog.findById(auth.collection);
    const record = collection ? await this.authRecords.findById(collection, auth.id) : undefined;
    const isGood = record !== undefined && record.get('tokenKey') === auth?.tokenKey;
    return new Caller(isGood ? record : null, request, ip);
  }

  private async outcomeOf(work: () => Promise<void>): Promise<Outcome> {
    try {
      await work();
      return {};
    } catch (error) {
      const { status, message, data, headers } = toApiError(error, false);
      // What a client is told says nothing of the cause.
      if (status === 500)
        this.logger.error(`A subscription failed: ${thrownText(error)}`, (error as Error | null)?.stack);
      return { failure: { status, message, data, headers } };
    }
  }
}

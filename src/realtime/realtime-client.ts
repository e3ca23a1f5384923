import type { RecordModel } from '../kernel/records/record-model.js';
import type { SseClient } from '../sse/sse-client.js';

/** Hands over a message of the application's own for one client. */
export type SendToClient = (client: RealtimeClient, topic: string, data: unknown) => void;

/** One client of realtime as a module sees it: its stream, who it is, and what it listens to. */
export class RealtimeClient {
  private account: RecordModel | null = null;
  private accountKey = '';

  constructor(
    readonly stream: SseClient,
    private readonly sendTo: SendToClient,
  ) {}

  /** The id of the stream, as the client was told it. */
  get id(): string {
    return this.stream.id;
  }

  /** The real IP the stream was opened from. */
  get ip(): string {
    return this.stream.ip;
  }

  /** The topics exactly as they were sent. */
  get topics(): ReadonlySet<string> {
    return this.stream.topics;
  }

  /** The auth record its messages are checked for; null for a guest. Follows the account behind it (RT-34). */
  get auth(): RecordModel | null {
    return this.account;
  }

  /** Tells accounts apart: collection and id of the auth record, `''` for a guest. */
  get identity(): string {
    return this.accountKey;
  }

  /**
   * Sends a message of the application's own to this client alone, whatever it listens to, in its place among the
   * messages before it. Data is sent as JSON, a string as it is; throws when a string is more than one line.
   */
  send(topic: string, data: unknown): void {
    this.sendTo(this, topic, data);
  }

  /** Changes its account. To be called by RealtimeClients only, which indexes clients by account. */
  become(auth: RecordModel | null): void {
    this.account = auth;
    this.accountKey = auth ? identityOf(auth) : '';
  }
}

/** Tells accounts apart, see `RealtimeClient.identity`. */
export function identityOf(auth: RecordModel): string {
  return `${auth.collection.id}/${auth.id}`;
}

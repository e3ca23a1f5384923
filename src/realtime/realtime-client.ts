import type { RecordModel } from '../kernel/records/record-model.js';
import type { SseClient } from '../sse/sse-client.js';

/** One client of realtime as a module sees it: its stream, who it is, and what it listens to. */
export class RealtimeClient {
  /** The auth record its messages are checked for; null for a guest. Changes with the account behind it (RT-34). */
  auth: RecordModel | null = null;

  constructor(
    readonly stream: SseClient,
    private readonly publish: (client: RealtimeClient, topic: string, data: unknown) => void,
  ) {}

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

  /**
   * Sends a message of the application's own to this client alone, whatever it is subscribed to, after the messages
   * before it. Data is JSON, a string is sent as it is and must be one line; otherwise it throws.
   */
  send(topic: string, data: unknown): void {
    this.publish(this, topic, data);
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { HookRegistry, type HookTarget } from '../hooks/hook-registry.js';
import { EventLoopTurn } from '../http/event-loop/event-loop-turn.js';
import { inChunks } from '../sse/in-chunks.js';
import { sseMessage } from '../sse/sse-message.js';
import type { RealtimeClient } from './realtime-client.js';
import { toLine } from './custom-message.js';
import { BeforeRealtimeMessage, type RealtimeMessageEvent } from './realtime.hooks.js';
import { thrownText } from '../kernel/errors/message-of.js';

/** A message and everybody who gets it. */
export interface Delivery {
  readonly topic: string;
  /** One line. */
  readonly data: string;
  readonly clients: readonly RealtimeClient[];
}

/** Writes messages to clients, 150 at a time. What is written under a topic is made once for all its clients. */
@Injectable()
export class DeliveryWriter {
  private readonly logger = new Logger('Realtime');

  constructor(private readonly hooks: HookRegistry) {}

  /** `collection` is that of the record the messages are about, for the hooks. */
  async write(deliveries: readonly Delivery[], collection?: HookTarget): Promise<void> {
    const isHooked = this.hooks.has(BeforeRealtimeMessage, collection);
    const turn = new EventLoopTurn();
    const bytesOf = latestBytes();
    await inChunks(eachClient(deliveries), async (chunk) => {
      for (const { client, delivery } of chunk) {
        if (!client.stream.isOpen) continue;
        if (turn.isOver) await turn.next();
        const bytes = isHooked ? await this.hooked(client, delivery, collection, bytesOf) : bytesOf(delivery);
        if (bytes) client.stream.send(bytes);
      }
    });
  }

  private async hooked(
    client: RealtimeClient,
    delivery: Delivery,
    collection: HookTarget | undefined,
    bytesOf: (delivery: Delivery) => Buffer,
  ): Promise<Buffer | undefined> {
    const { topic } = delivery;
    const data = fromText(delivery.data);
    const event: RealtimeMessageEvent = { client, topic, data };
    try {
      await this.hooks.run(BeforeRealtimeMessage, event, collection);
      const isUntouched = event.data === data && typeof data !== 'object';
      return isUntouched ? bytesOf(delivery) : sseMessage(topic, toLine(event.data));
    } catch (error) {
      this.logger.debug(`A message for ${topic} was dropped: ${thrownText(error)}`);
      return undefined;
    }
  }
}

/** Keeps only the latest message: a thousand topics may have the same data, and each makes other bytes of it (OPS-39). */
function latestBytes(): (delivery: Delivery) => Buffer {
  let latest: { readonly delivery: Delivery; readonly bytes: Buffer } | undefined;
  return (delivery) => {
    if (latest?.delivery !== delivery) latest = { delivery, bytes: sseMessage(delivery.topic, delivery.data) };
    return latest.bytes;
  };
}

function* eachClient(deliveries: readonly Delivery[]): Generator<{ client: RealtimeClient; delivery: Delivery }> {
  for (const delivery of deliveries) {
    for (const client of delivery.clients) yield { client, delivery };
  }
}

/** Texts of the application's own need not be JSON. */
function fromText(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

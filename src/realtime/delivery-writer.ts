import { Injectable, Logger } from '@nestjs/common';
import { HookRegistry, type HookTarget } from '../hooks/hook-registry.js';
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
  readonly bytes: Buffer;
  readonly clients: readonly RealtimeClient[];
}

/** The message under a topic, made once for all its clients. */
export function toDelivery(topic: string, data: string, clients: readonly RealtimeClient[]): Delivery {
  return { topic, data, bytes: sseMessage(topic, data), clients };
}

/** Writes messages to clients, 150 at a time. */
@Injectable()
export class DeliveryWriter {
  private readonly logger = new Logger('Realtime');

  constructor(private readonly hooks: HookRegistry) {}

  /** `collection` is that of the record the messages are about, for the hooks. */
  async write(deliveries: readonly Delivery[], collection?: HookTarget): Promise<void> {
    const isHooked = this.hooks.has(BeforeRealtimeMessage, collection);
    await inChunks(eachClient(deliveries), async (chunk) => {
      for (const { client, delivery } of chunk) {
        const bytes = isHooked ? await this.hooked(client, delivery, collection) : delivery.bytes;
        if (bytes) client.stream.send(bytes);
      }
    });
  }

  private async hooked(
    client: RealtimeClient,
    delivery: Delivery,
    collection?: HookTarget,
  ): Promise<Buffer | undefined> {
    const { topic } = delivery;
    const data = fromText(delivery.data);
    const event: RealtimeMessageEvent = { client, topic, data };
    try {
      await this.hooks.run(BeforeRealtimeMessage, event, collection);
      const isUntouched = event.data === data && typeof data !== 'object';
      return isUntouched ? delivery.bytes : sseMessage(topic, toLine(event.data));
    } catch (error) {
      this.logger.debug(`A message for ${topic} was dropped: ${thrownText(error)}`);
      return undefined;
    }
  }
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

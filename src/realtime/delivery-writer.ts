import { Injectable, Logger } from '@nestjs/common';
import { HookRegistry, type HookTarget } from '../hooks/hook-registry.js';
import { inChunks } from '../sse/in-chunks.js';
import { sseMessage } from '../sse/sse-message.js';
import type { RealtimeClient } from './realtime-client.js';
import { toLine } from './custom-message.js';
import { BeforeRealtimeMessage, type RealtimeMessageEvent } from './realtime.hooks.js';

/** A message and who gets it. The bytes of equal messages are the same object. */
export interface Delivery {
  readonly client: RealtimeClient;
  readonly topic: string;
  /** One line. */
  readonly data: string;
  readonly bytes: Buffer;
}

/** Writes messages to clients, 150 at a time. */
@Injectable()
export class DeliveryWriter {
  private readonly logger = new Logger('Realtime');

  constructor(private readonly hooks: HookRegistry) {}

  /** `collection` is that of the record the messages are about, for the hooks. */
  async write(deliveries: readonly Delivery[], collection?: HookTarget): Promise<void> {
    const isHooked = this.hooks.has(BeforeRealtimeMessage, collection);
    await inChunks(deliveries, async (chunk) => {
      for (const delivery of chunk) {
        const bytes = isHooked ? await this.hooked(delivery, collection) : delivery.bytes;
        if (bytes) delivery.client.stream.send(bytes);
      }
    });
  }

  private async hooked(delivery: Delivery, collection?: HookTarget): Promise<Buffer | undefined> {
    const { client, topic } = delivery;
    const data = fromText(delivery.data);
    const event: RealtimeMessageEvent = { client, topic, data };
    try {
      await this.hooks.run(BeforeRealtimeMessage, event, collection);
      const isUntouched = event.data === data && typeof data !== 'object';
      return isUntouched ? delivery.bytes : sseMessage(topic, toLine(event.data));
    } catch (error) {
      this.logger.debug(`A message for ${topic} was dropped: ${String(error)}`);
      return undefined;
    }
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

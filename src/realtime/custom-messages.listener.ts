import { Injectable } from '@nestjs/common';
import { OnEvent } from '../events/on-event.decorator.js';
import { DeliveryQueue } from './delivery-queue.js';
import { type Delivery, DeliveryWriter } from './delivery-writer.js';
import { RealtimeClients } from './realtime-clients.js';
import { RealtimeMessage } from './realtime-message.event.js';
import { SubscriptionIndex } from './subscription-index.js';

/** Writes messages of the application's own, each in its place among those of records (RT-80, RT-90). */
@Injectable()
export class CustomMessagesListener {
  constructor(
    private readonly clients: RealtimeClients,
    private readonly index: SubscriptionIndex,
    private readonly queue: DeliveryQueue,
    private readonly writer: DeliveryWriter,
  ) {}

  @OnEvent(RealtimeMessage, { everywhere: 'streams' })
  messagePublished(message: RealtimeMessage): void {
    this.queue.add(() => {
      const deliveries = message.clientId === undefined ? this.toListeners(message) : this.toClient(message);
      return this.writer.write(deliveries);
    });
  }

  private toClient({ topic, data, clientId }: RealtimeMessage): Delivery[] {
    const client = this.clients.find(clientId!);
    return client ? [{ topic, data, clients: [client] }] : [];
  }

  private toListeners({ topic, data }: RealtimeMessage): Delivery[] {
    return this.index
      .ofTopic(topic)
      .map((subscribers) => ({ topic: subscribers.topic.text, data, clients: [...subscribers.clients] }));
  }
}

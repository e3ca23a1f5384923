import { jsonLine } from '../sse/sse-message.js';
import { RealtimeMessage } from './realtime-message.event.js';

/** Names of topics that only Roost sends under (RT-91). */
const RESERVED = /^(?:@|SVC_|PB_)/;

/** A line break would end the message of the stream. */
const LINE_BREAK = /[\r\n]/;

/**
 * A message of the application's own: an object as JSON, a string as it is. Throws when the topic is reserved, or when
 * topic or string is more than one line.
 */
export function toMessage(topic: string, data: unknown, clientId?: string): RealtimeMessage {
  if (topic === '' || RESERVED.test(topic)) throw new Error(`The topic "${topic}" is reserved.`);
  if (LINE_BREAK.test(topic)) throw new Error('A topic must be a single line.');
  return new RealtimeMessage(topic, toLine(data), clientId);
}

/** Data as the one line of a message: a string as it is, everything else as JSON. Throws for several lines. */
export function toLine(data: unknown): string {
  const text = typeof data === 'string' ? data : jsonLine(data ?? null);
  if (LINE_BREAK.test(text)) throw new Error('The data of a message must be a single line.');
  return text;
}

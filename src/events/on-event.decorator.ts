import 'reflect-metadata';
import type { EventType } from './event-bus.js';

/** Metadata key under which a method keeps the event types it wants. */
export const EVENT_HANDLERS = 'roost:event-handlers';

/**
 * Marks a provider's method as a handler of an event: `@OnEvent(RecordChanged)`. It runs after the commit and outside
 * of any transaction; a throw is logged and reaches nobody. Whoever made the change waits for it, other writers do not.
 */
export function OnEvent<Event extends object>(type: EventType<Event>) {
  return <Method extends (event: Event) => void | Promise<void>>(
    _target: object,
    _key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    const method = descriptor.value!;
    const earlier = (Reflect.getMetadata(EVENT_HANDLERS, method) as EventType[] | undefined) ?? [];
    Reflect.defineMetadata(EVENT_HANDLERS, [...earlier, type], method);
  };
}

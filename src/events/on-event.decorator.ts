import 'reflect-metadata';
import type { EventType, HandlerOptions } from './event-bus.js';

/** Metadata key under which a method keeps the events it wants. */
export const EVENT_HANDLERS = 'roost:event-handlers';

/** The metadata of `@OnEvent`. */
export interface EventHandlerMetadata {
  readonly type: EventType;
  readonly options: HandlerOptions;
}

/**
 * Marks a provider's method as a handler of an event: `@OnEvent(RecordChanged)`. It runs after the commit and outside
 * of any transaction; a throw is logged and reaches nobody. Whoever made the change waits for it, other writers do not.
 * With `{ everywhere: true }` it also runs in the other processes that serve the application (SCALE-21); see
 * HandlerOptions.
 */
export function OnEvent<Event extends object>(type: EventType<Event>, options: HandlerOptions = {}) {
  return <Method extends (event: Event) => void | Promise<void>>(
    _target: object,
    _key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    const method = descriptor.value!;
    const earlier = (Reflect.getMetadata(EVENT_HANDLERS, method) as EventHandlerMetadata[] | undefined) ?? [];
    Reflect.defineMetadata(EVENT_HANDLERS, [...earlier, { type, options }], method);
  };
}

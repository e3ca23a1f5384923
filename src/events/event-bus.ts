/** DI token of the EventBus. */
export const EVENT_BUS = Symbol('EVENT_BUS');

/** The class of an event: its instances are facts, told after they are true. */
export type EventType<Event extends object = object> = abstract new (...args: never[]) => Event;

/** Which of those that are told a handler hears of. */
export interface HandlerOptions {
  /**
   * Also what other processes publish that serve the same application: for what each keeps in memory or on its
   * connections. Without it a handler runs once, in the process that has published the event. `'streams'`: the same, for
   * what is of use to a process only while it has streams of clients; see StreamInterest.
   */
  readonly everywhere?: boolean | 'streams';
}

/**
 * Tells what has happened. `publish` inside a transaction delivers when it is committed, in the order of commits and of
 * publishing, and never when it rolls back; outside of one it delivers at once. Handlers of one event run one after
 * another; what they throw is logged and reaches nobody.
 */
export interface EventBus {
  /** Tells an event, an instance of a class of its own. Never throws for what a handler does. */
  publish(event: object): void;
  /** Adds a handler for instances of a class, for as long as the bus lives. */
  subscribe<Event extends object>(
    type: EventType<Event>,
    handler: (event: Event) => void | Promise<void>,
    options?: HandlerOptions,
  ): void;
}

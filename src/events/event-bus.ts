/** DI token of the EventBus. */
export const EVENT_BUS = Symbol('EVENT_BUS');

/** The class of an event. Its instances are facts, published after they have become true. */
export type EventType<Event extends object = object> = abstract new (...args: never[]) => Event;

/** Which events a handler gets. */
export interface HandlerOptions {
  /**
   * Also what other processes publish that serve the same application: for what each keeps in memory or on its
   * connections. Without it a handler runs once, in the process that has published the event. `'streams'`: the same,
   * for what is of use to a process only while it has streams of clients; see StreamInterest.
   */
  readonly everywhere?: boolean | 'streams';
}

/**
 * Publishes events. `publish` inside a transaction delivers when it is committed, in the order of commits and of
 * publishing, and never after a rollback; outside of one it delivers at once. Handlers of one event run one after
 * another; what they throw is logged only.
 */
export interface EventBus {
  /** Publishes an event, an instance of its own class. Never throws because of a handler. */
  publish(event: object): void;
  /**
   * Whether somebody may hear of events of this class. Where nobody does, they need not be published by a transaction
   * that `StreamInterest.trackUnannounced` knows of: a stream that opens meanwhile waits for its end. A bus without this
   * is always told.
   */
  isHeard?(type: EventType): boolean;
  /** Adds a handler for instances of a class, for as long as the bus lives. */
  subscribe<Event extends object>(
    type: EventType<Event>,
    handler: (event: Event) => void | Promise<void>,
    options?: HandlerOptions,
  ): void;
}

/** What time it is. Everything that expires, cools down or stamps asks a Clock, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

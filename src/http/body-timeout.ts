/** A whole request must have arrived within this time (OPS-37), in milliseconds. */
export const BODY_TIMEOUT = 5 * 60_000;

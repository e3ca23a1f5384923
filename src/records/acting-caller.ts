import { Caller } from '../kernel/records/caller.js';

/** For whom an operation runs. */
export interface ActOptions {
  /**
   * Applies rules as this caller. Left out or null acts with full rights and skips them; what is present must be a
   * caller, and undefined is refused: a caller somebody forgot to look up must not open everything.
   */
  readonly as?: Caller | null;
}

/** Who acts, null for full rights. Throws a TypeError for an `as` that is present and no caller. */
export function actingCaller(options: ActOptions): Caller | null {
  if (!('as' in options)) return null;
  return options.as === null ? null : requireActing(options.as, 'as');
}

/** The caller itself. Throws a TypeError when it is none. */
export function requireActing(caller: unknown, name: string): Caller {
  if (caller instanceof Caller) return caller;
  throw new TypeError(`"${name}" must be a Caller: GUEST for nobody in particular, null for full rights.`);
}

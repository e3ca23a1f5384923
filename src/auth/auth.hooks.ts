import { createHook } from '../hooks/create-hook.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';

/** How somebody comes by an auth token; other words are the names of ways that modules add. */
export type AuthMethod =
  'password' | 'otp' | 'oauth2' | 'refresh' | 'impersonate' | 'setup' | (string & Record<never, never>);

/** Somebody has proven to be a record, and a token is about to be issued for it. A throw refuses it. */
export interface AuthEvent {
  readonly record: RecordModel;
  readonly method: AuthMethod;
  /** Who asked, before the sign-in: usually a guest. */
  readonly caller: Caller;
}

/** A token was issued and is about to be sent. */
export type AuthenticatedEvent = AuthEvent;

/** Before somebody is signed in, by whatever method, once the proof was accepted. A throw refuses the sign-in. */
export const BeforeAuth = createHook<AuthEvent>('BeforeAuth');
/** After somebody was signed in. A throw is logged and changes nothing. */
export const AfterAuth = createHook<AuthenticatedEvent>('AfterAuth');

import { createHook } from '../../hooks/create-hook.js';
import type { Collection } from '../../kernel/collections/collection.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';

/** Somebody asks for a mail to an account's address. A throw refuses it. */
export interface AccountMailRequestEvent {
  readonly collection: Collection;
  readonly caller: Caller;
  readonly email: string;
  /**
   * Who gets the mail; null for nobody, which looks the same. A handler may name another of the collection, or null.
   */
  record: RecordModel | null;
}

/** A mail that was asked for has gone out. */
export interface AccountMailSentEvent {
  readonly record: RecordModel;
  readonly caller: Caller;
}

/** Somebody has brought the token of a mail, and it is good. A throw refuses what it allows. */
export interface AccountConfirmEvent {
  readonly record: RecordModel;
  readonly caller: Caller;
}

/** What the token of a mail allows was done. `record` has its new values. */
export type AccountConfirmedEvent = AccountConfirmEvent;

/** A password is about to be replaced. */
export interface PasswordResetEvent extends AccountConfirmEvent {
  /** The new one, as it was typed. */
  readonly password: string;
}

/** An address is about to be replaced: a mail to the new one was asked for, or confirmed. */
export interface EmailChangeEvent extends AccountConfirmEvent {
  readonly newEmail: string;
}

/** Before a one-time password is made and mailed, whether or not there is such an account. */
export const BeforeRequestOtp = createHook<AccountMailRequestEvent>('BeforeRequestOtp');
/** Before a verification mail, whether or not there is such an account. */
export const BeforeRequestVerification = createHook<AccountMailRequestEvent>('BeforeRequestVerification');
/** After a verification mail went out. A throw is logged. */
export const AfterRequestVerification = createHook<AccountMailSentEvent>('AfterRequestVerification');
/** Before an address counts as verified. */
export const BeforeConfirmVerification = createHook<AccountConfirmEvent>('BeforeConfirmVerification');
/** After an address was verified. A throw is logged and changes nothing. */
export const AfterConfirmVerification = createHook<AccountConfirmedEvent>('AfterConfirmVerification');
/** Before a mail to choose a new password, whether or not there is such an account. */
export const BeforeRequestPasswordReset = createHook<AccountMailRequestEvent>('BeforeRequestPasswordReset');
/** After a mail to choose a new password went out. A throw is logged. */
export const AfterRequestPasswordReset = createHook<AccountMailSentEvent>('AfterRequestPasswordReset');
/** Before a forgotten password is replaced. */
export const BeforeConfirmPasswordReset = createHook<PasswordResetEvent>('BeforeConfirmPasswordReset');
/** After a forgotten password was replaced. A throw is logged and changes nothing. */
export const AfterConfirmPasswordReset = createHook<AccountConfirmedEvent>('AfterConfirmPasswordReset');
/** Before a mail to the new address of an account, which its owner has asked for. */
export const BeforeRequestEmailChange = createHook<EmailChangeEvent>('BeforeRequestEmailChange');
/** After a mail to the new address went out. A throw is logged and changes nothing. */
export const AfterRequestEmailChange = createHook<EmailChangeEvent>('AfterRequestEmailChange');
/** Before an account gets its new address. */
export const BeforeConfirmEmailChange = createHook<EmailChangeEvent>('BeforeConfirmEmailChange');
/** After an account got its new address. A throw is logged and changes nothing. */
export const AfterConfirmEmailChange = createHook<EmailChangeEvent>('AfterConfirmEmailChange');

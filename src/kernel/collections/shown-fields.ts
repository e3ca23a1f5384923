import type { FieldDefinition } from '../fields/field-definition.js';
import type { Collection } from './collection.js';

/**
 * True for what is never shown to anybody, superusers included: passwords and token keys of accounts and of one-time
 * passwords (JSON-5, AUTH-1403). Password fields of a team are shown as ''.
 */
export function isNeverShown({ isAuth, system }: Collection, { name }: FieldDefinition): boolean {
  return (isAuth || system) && (name === 'password' || name === 'tokenKey');
}

/**
 * True for what nobody but superusers may ask about: hidden fields, and the hash in every password field, which is shown
 * as '' but would be found out letter by letter (AUTH-504).
 */
export function isConcealed({ hidden, type }: FieldDefinition): boolean {
  return hidden || type === 'password';
}

/** True for what is not in every answer: hidden fields, and an email its owner keeps to itself. */
export function isSometimesHidden({ isAuth }: Collection, { name, hidden }: FieldDefinition): boolean {
  return hidden || (isAuth && name === 'email');
}

import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { EPHEMERAL_STORE, type EphemeralStore } from '../../ephemeral/ephemeral-store.js';
import { EphemeralValues } from '../../ephemeral/ephemeral-values.js';
import { textAt } from './json-values.js';

const LIFETIME = 60_000;
const MAX_NAME_LENGTH = 150;
const MAX_CODE_LENGTH = 985;

/**
 * The names Apple hands over with the redirect, once, for the sign-in that follows it (AUTH-925). Kept for a
 * minute under the hash of the authorization code, which is a secret and may be long, and given out once.
 */
@Injectable()
export class AppleNames {
  private readonly names: EphemeralValues<string>;

  constructor(@Inject(EPHEMERAL_STORE) store: EphemeralStore) {
    this.names = new EphemeralValues(store, 'apple-name');
  }

  /** Takes the `user` value of a redirect, JSON text or already parsed; anything unexpected is no name. */
  async remember(code: string, user: unknown): Promise<void> {
    const name = joinedName(typeof user === 'string' ? parse(user) : user);
    if (name !== '' && code !== '' && code.length <= MAX_CODE_LENGTH) await this.names.set(keyOf(code), name, LIFETIME);
  }

  /** The name that came with the code, '' when there is none; the second call finds none. */
  async take(code: string): Promise<string> {
    return (await this.names.take(keyOf(code))) ?? '';
  }
}

function keyOf(code: string): string {
  return createHash('sha256').update(code).digest('base64url');
}

function joinedName(user: unknown): string {
  const name = `${textAt(user, 'name.firstName')} ${textAt(user, 'name.lastName')}`.trim();
  return [...name].slice(0, MAX_NAME_LENGTH).join('');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

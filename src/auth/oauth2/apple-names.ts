import { Inject, Injectable } from '@nestjs/common';
import { MONOTONIC_CLOCK } from '../../config/roost-config.js';
import type { Clock } from '../../kernel/clock.js';
import { ExpiringMap } from '../../kernel/throttling/expiring-map.js';
import { textAt } from './json-values.js';

const LIFETIME = 60_000;
const MAX_NAME_LENGTH = 150;
const MAX_CODE_LENGTH = 985;
const MAX_NAMES = 10_000;

/**
 * The names Apple hands over with the redirect, once, for the sign-in that follows it (AUTH-925). Kept in memory under
 * the authorization code for a minute and given out once.
 */
@Injectable()
export class AppleNames {
  private readonly names: ExpiringMap<string>;

  constructor(@Inject(MONOTONIC_CLOCK) clock: Clock) {
    this.names = new ExpiringMap(clock, MAX_NAMES);
  }

  /** Takes the `user` value of a redirect, JSON text or already parsed; anything unexpected is no name. */
  remember(code: string, user: unknown): void {
    const name = joinedName(typeof user === 'string' ? parse(user) : user);
    if (name !== '' && code !== '' && code.length <= MAX_CODE_LENGTH) this.names.set(code, name, LIFETIME);
  }

  /** The name that came with the code, '' when there is none; the second call finds none. */
  take(code: string): string {
    const name = this.names.get(code) ?? '';
    this.names.delete(code);
    return name;
  }
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

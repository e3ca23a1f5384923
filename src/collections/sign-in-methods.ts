import { Injectable } from '@nestjs/common';
import type { Collection } from '../kernel/collections/collection.js';

/** A way of signing in that a module adds. */
export interface SignInMethod {
  /** One word: hooks, MFA and rules (`@request.context`) know it by this. */
  readonly name: string;
  /** What a login page calls it. */
  readonly displayName: string;
  /** Names or ids of the auth collections it is for. */
  readonly collections: readonly string[];
}

/** Names that hooks, MFA and `auth-methods` use for other methods. */
const TAKEN: ReadonlySet<string> = new Set(
  'password otp oauth2 refresh impersonate setup default expand realtime protectedFile batch mfa'.split(' '),
);

/** The ways of signing in that modules add. Filled at start-up. */
@Injectable()
export class SignInMethods {
  private readonly methods = new Map<string, SignInMethod>();

  /** Throws for a name that is taken or not one word: two methods that MFA takes for one would be one. */
  add(method: SignInMethod): void {
    const { name } = method;
    if (!/^[A-Za-z]\w*$/.test(name)) throw new Error(`"${name}" cannot be the name of a way of signing in.`);
    if (TAKEN.has(name) || this.methods.has(name)) {
      throw new Error(`There is a way of signing in called "${name}" already.`);
    }
    this.methods.set(name, method);
  }

  /** Those for a collection, in the order in which they were added. */
  of({ id, name, isAuth }: Collection): readonly SignInMethod[] {
    if (!isAuth || this.methods.size === 0) return [];
    return [...this.methods.values()].filter(
      ({ collections }) => collections.includes(name) || collections.includes(id),
    );
  }
}

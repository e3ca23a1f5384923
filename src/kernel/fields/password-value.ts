const NO_TEXT = '';

/**
 * The value of a password field: the hash, and while a new password is being saved also its plain text. Immutable.
 * Neither appears in JSON, logs or a debugger; both have to be read by name.
 */
export class PasswordValue {
  /** No password. */
  static readonly NONE = new PasswordValue(NO_TEXT, undefined);

  readonly #hash: string;
  readonly #plain: string | undefined;

  private constructor(hash: string, plain: string | undefined) {
    this.#hash = hash;
    this.#plain = plain;
  }

  /** A password as somebody typed it; '' is none. It has to be hashed before it can be stored. */
  static fromPlain(plain: string): PasswordValue {
    return plain === '' ? PasswordValue.NONE : new PasswordValue(NO_TEXT, plain);
  }

  /** A stored password; '' is none. What made the hash is not checked again. */
  static fromHash(hash: string): PasswordValue {
    return hash === '' ? PasswordValue.NONE : new PasswordValue(hash, undefined);
  }

  /** The hash, '' when there is none (yet). */
  get hash(): string {
    return this.#hash;
  }

  /** The plain text of a password that is being set, undefined for a stored one. */
  get plain(): string | undefined {
    return this.#plain;
  }

  get isEmpty(): boolean {
    return this.#hash === NO_TEXT && this.#plain === undefined;
  }

  /** True when there is a plain text that still has no hash. */
  get needsHash(): boolean {
    return this.#hash === NO_TEXT && this.#plain !== undefined;
  }

  /** The same password with its hash. The plain text stays, so that it can still be validated. */
  withHash(hash: string): PasswordValue {
    return new PasswordValue(hash, this.#plain);
  }

  toJSON(): string {
    return NO_TEXT;
  }

  toString(): string {
    return NO_TEXT;
  }

  /** What `console.log` and util.inspect show. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.isEmpty ? 'PasswordValue (none)' : 'PasswordValue (not shown)';
  }
}

import { PasswordHasher } from '../../src/passwords/password-hasher.js';

/** How the product hashes and compares, which `test/cheap-passwords.ts` puts something else in the place of. */
export const { hash, matches } = PasswordHasher.prototype;

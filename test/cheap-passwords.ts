import { PasswordHasher } from '../src/passwords/password-hasher.js';
import { hash, matches } from './support/usual-passwords.js';

/** The least that bcrypt knows. */
const CHEAPEST = 4;

// The suite makes thousands of accounts, and a password takes its time. Where fields name no cost it is the least here.
PasswordHasher.prototype.hash = function (plain, cost, turn) {
  return hash.call(this, plain, cost || CHEAPEST, turn);
};
PasswordHasher.prototype.matches = function (plain, stored, cost, turn) {
  return matches.call(this, plain, stored, cost || CHEAPEST, turn);
};

import { Module } from '@nestjs/common';
import { GuessThrottle } from './guess-throttle.js';
import { PasswordChecks } from './password-checks.js';
import { PasswordHasher } from './password-hasher.js';

const passwords = [PasswordHasher, GuessThrottle, PasswordChecks];

/** Hashing and comparing passwords, and what keeps them from being guessed. */
@Module({ providers: passwords, exports: passwords })
export class PasswordsModule {}

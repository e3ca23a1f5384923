import { Module } from '@nestjs/common';
import { PasswordHasher } from './password-hasher.js';

/** Hashing and comparing passwords. */
@Module({ providers: [PasswordHasher], exports: [PasswordHasher] })
export class PasswordsModule {}

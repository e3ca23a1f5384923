import { Module } from '@nestjs/common';
import { TokensService } from './tokens.service.js';

/** Issuing and verifying tokens. */
@Module({ providers: [TokensService], exports: [TokensService] })
export class TokensModule {}

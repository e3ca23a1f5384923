import { Module } from '@nestjs/common';
import { SseHub } from './sse-hub.js';

/** Open streams, whoever writes to them. */
@Module({ providers: [SseHub], exports: [SseHub] })
export class SseModule {}

import { Controller, Get, Head, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentBody } from '../http/current-body.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { SmallBodyLimit } from '../http/fixed-body-limits.js';
import { ReadsBody } from '../http/reads-body.decorator.js';
import type { RequestBody } from '../http/request-body.js';
import { Caller } from '../kernel/records/caller.js';
import { ConnectionsService } from './connections.service.js';
import { SubscriptionsService } from './subscriptions.service.js';

@Controller('api/realtime')
export class RealtimeController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  // Before the GET, for which Fastify would otherwise make a HEAD of its own.
  @Head()
  describe(@Res() reply: FastifyReply): void {
    this.connections.describe(reply);
  }

  @Get()
  connect(@Res() reply: FastifyReply, @CurrentCaller() caller: Caller): Promise<void> {
    return this.connections.open(reply, caller);
  }

  @Post()
  @HttpCode(204)
  @ReadsBody(SmallBodyLimit)
  subscribe(@CurrentBody() body: RequestBody, @CurrentCaller() caller: Caller): Promise<void> {
    return this.subscriptions.replace(body, caller);
  }
}

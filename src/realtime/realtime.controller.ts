import { Controller, Get, Head, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../http/request/caller.decorators.js';
import { ApiOkResponse, ApiOperation } from '../http/dto/api-decorators.js';
import { CurrentForm } from '../http/dto/current-form.decorator.js';
import { TEXT } from '../http/dto/schema.js';
import { SmallBodyLimit } from '../http/body/fixed-body-limits.js';
import { ReadsBody } from '../http/body/reads-body.decorators.js';
import { Caller } from '../kernel/records/caller.js';
import { ConnectionsService } from './connections.service.js';
import { SubscriptionDto } from './subscription.dto.js';
import { SubscriptionsService } from './subscriptions.service.js';

@Controller('api/realtime')
export class RealtimeController {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly subscriptions: SubscriptionsService,
  ) {}

  // Stands before the GET route, because Fastify would otherwise add a HEAD route of its own.
  @Head()
  describe(@Res() reply: FastifyReply): void {
    this.connections.describe(reply);
  }

  @Get()
  @ApiOperation({ summary: 'Open a stream of events' })
  @ApiOkResponse({ content: { 'text/event-stream': { schema: TEXT } } })
  connect(@Res() reply: FastifyReply, @CurrentCaller() caller: Caller): Promise<void> {
    return this.connections.open(reply, caller);
  }

  @Post()
  @HttpCode(204)
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Set the subscriptions of a stream' })
  subscribe(@CurrentForm(SubscriptionDto) form: SubscriptionDto, @CurrentCaller() caller: Caller): Promise<void> {
    return this.subscriptions.replace(form, caller);
  }
}

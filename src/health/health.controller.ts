import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { RoostRequest } from '../http/roost-request.js';
import { andThen, type MaybePromise } from '../kernel/maybe-promise.js';
import { Caller } from '../kernel/records/caller.js';
import { type Health, HealthService } from './health.service.js';

@Controller('api/health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  check(
    @Req() request: RoostRequest,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): MaybePromise<Health> {
    return andThen(this.health.check(caller, request.headers), (health) => {
      void reply.status(health.code);
      return health;
    });
  }
}

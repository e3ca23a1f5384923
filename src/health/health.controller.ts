import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import type { RoostRequest } from '../http/roost-request.js';
import { Caller } from '../kernel/records/caller.js';
import { type Health, HealthService } from './health.service.js';

@Controller('api/health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  async check(
    @Req() request: RoostRequest,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Health> {
    const health = await this.health.check(caller, request.headers);
    void reply.status(health.code);
    return health;
  }
}

import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../http/request/caller.decorators.js';
import { ApiFields } from '../http/dto/api-answers.js';
import { ApiOkResponse, ApiOperation } from '../http/dto/api-decorators.js';
import { queryValue } from '../http/request/query-value.js';
import type { RoostRequest } from '../http/request/roost-request.js';
import { parseFields, pickFields } from '../kernel/query/fields.js';
import { Caller } from '../kernel/records/caller.js';
import { Health } from './health.dto.js';
import { HealthService } from './health.service.js';

/** Seconds until it is worth asking again. */
const RETRY_AFTER = 2;

@Controller('api/health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get()
  @ApiOperation({ summary: 'Is the service well' })
  @ApiFields()
  @ApiOkResponse({ type: Health })
  async check(
    @Req() request: RoostRequest,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const fields = queryValue(request.query, 'fields');
    const picker = fields ? parseFields(fields) : undefined;
    const health = await this.health.check(caller, request.headers);
    void reply.status(health.code);
    if (health.code === 503) void reply.header('retry-after', RETRY_AFTER);
    // A failure is always reported as a whole.
    return picker && health.code === 200 ? pickFields(picker, health) : health;
  }
}

import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { CurrentBody } from '../http/body/current-body.decorator.js';
import { CurrentCaller } from '../http/request/caller.decorators.js';
import { DisconnectSignal } from '../http/request/disconnect-signal.decorator.js';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation } from '../http/dto/api-decorators.js';
import { type AnswerShareSource, CurrentAnswer } from '../http/answer/current-answer.decorator.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { ReadsBody } from '../http/body/reads-body.decorators.js';
import type { RequestBody } from '../http/body/request-body.js';
import { Caller } from '../kernel/records/caller.js';
import { BatchBodyLimit } from './batch-body-limit.js';
import { BatchEnabledGuard } from './batch-enabled.guard.js';
import { BatchDto, BatchResult } from './batch.dto.js';
import { BatchService } from './batch.service.js';

@Controller('api/batch')
export class BatchController {
  constructor(private readonly batches: BatchService) {}

  @Post()
  @HttpCode(200)
  @UseGuards(BatchEnabledGuard)
  @ReadsBody(BatchBodyLimit)
  @PicksFields()
  @ApiOperation({ summary: 'Run several writes in one transaction' })
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiBody({ type: BatchDto })
  @ApiOkResponse({ type: [BatchResult] })
  run(
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
    @DisconnectSignal() disconnected: AbortSignal,
    @CurrentAnswer() shareOf: AnswerShareSource,
  ): Promise<BatchResult[]> {
    return this.batches.run(body, { caller, disconnected, shareOf });
  }
}

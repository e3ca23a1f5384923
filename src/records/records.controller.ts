import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, UseGuards } from '@nestjs/common';
import type { AnswerShare } from '../http/answer-room.js';
import { CollectionInPath } from '../http/collection-in-path.decorator.js';
import { CurrentAnswer } from '../http/current-answer.decorator.js';
import { CurrentBody } from '../http/current-body.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { ForCollection } from '../http/for-collection.decorator.js';
import type { LargeAnswer } from '../http/large-answer.js';
import { RateLimitLater } from '../http/rate-limit-later.decorator.js';
import { RateLimitTag } from '../http/rate-limit-tag.decorator.js';
import { ReadsBody } from '../http/reads-body.decorator.js';
import type { RequestBody } from '../http/request-body.js';
import { Caller } from '../kernel/records/caller.js';
import type { ListEnvelope } from './list-answer.js';
import { RecordActions } from './record-actions.js';
import { RecordBodyLimit } from './record-body-limit.js';
import { RuleGuard } from './rule.guard.js';

type Json = Record<string, unknown>;

@Controller('api/collections/:collection/records')
export class RecordsController {
  constructor(private readonly actions: RecordActions) {}

  @Get()
  @ForCollection()
  @RateLimitTag('list')
  @UseGuards(RuleGuard('list'))
  list(
    @CollectionInPath() collection: string,
    @CurrentCaller() caller: Caller,
    @CurrentAnswer() answer: AnswerShare,
  ): Promise<ListEnvelope | LargeAnswer> {
    return this.actions.list(collection, caller, answer);
  }

  @Get(':id')
  @ForCollection()
  @RateLimitTag('view')
  @UseGuards(RuleGuard('view'))
  view(
    @CollectionInPath() collection: string,
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @CurrentAnswer() answer: AnswerShare,
  ): Promise<Json> {
    return this.actions.view(collection, id, caller, answer);
  }

  @Post()
  @HttpCode(200)
  @ForCollection({ writes: true })
  @RateLimitTag('create')
  @UseGuards(RuleGuard('create'))
  @ReadsBody(RecordBodyLimit)
  create(
    @CollectionInPath() collection: string,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<Json> {
    return this.actions.create(collection, body, caller);
  }

  @Put()
  @ForCollection({ writes: true })
  @RateLimitLater()
  @ReadsBody(RecordBodyLimit)
  upsert(
    @CollectionInPath() collection: string,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<Json> {
    return this.actions.upsert(collection, body, caller);
  }

  @Patch(':id')
  @ForCollection({ writes: true })
  @RateLimitTag('update')
  @UseGuards(RuleGuard('update'))
  @ReadsBody(RecordBodyLimit)
  update(
    @CollectionInPath() collection: string,
    @Param('id') id: string,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<Json> {
    return this.actions.update(collection, id, body, caller);
  }

  @Delete(':id')
  @HttpCode(204)
  @ForCollection({ writes: true })
  @RateLimitTag('delete')
  @UseGuards(RuleGuard('delete'))
  delete(
    @CollectionInPath() collection: string,
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.actions.delete(collection, id, caller);
  }
}

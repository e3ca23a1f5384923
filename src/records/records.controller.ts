import {
  applyDecorators,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Put,
  Req,
  UseGuards,
} from '@nestjs/common';
import { CollectionInPath, ForCollection } from '../http/request/collection.decorators.js';
import { type AnswerShareSource, CurrentAnswer } from '../http/answer/current-answer.decorator.js';
import { CurrentCaller } from '../http/request/caller.decorators.js';
import { ApiExpand, ApiFields, ApiPage, ApiRecord } from '../http/dto/api-answers.js';
import { ApiBody, ApiConsumes, ApiOperation } from '../http/dto/api-decorators.js';
import { RECORD, RECORD_INPUT } from '../http/dto/schema.js';
import type { LargeAnswer } from '../http/answer/large-answer.js';
import { RateLimitLater, RateLimitTag } from '../http/request/rate-limit.decorators.js';
import type { RoostRequest } from '../http/request/roost-request.js';
import { Caller } from '../kernel/records/caller.js';
import { RecordActions } from './record-actions.js';
import type { ListEnvelope } from './read/list-answers.js';
import { RecordBodies } from './write/record-bodies.js';
import { RuleGuard } from './rule.guard.js';

/** What is sent of a record, uploads included. Its shape is the collection's. */
const ApiRecordInput = () =>
  applyDecorators(ApiBody({ schema: RECORD_INPUT }), ApiConsumes('application/json', 'multipart/form-data'));

type Json = Record<string, unknown>;

@Controller('api/collections/:collection/records')
export class RecordsController {
  constructor(
    private readonly actions: RecordActions,
    private readonly bodies: RecordBodies,
  ) {}

  @Get()
  @ForCollection()
  @RateLimitTag('list')
  @UseGuards(RuleGuard('list'))
  @ApiOperation({ summary: 'List records' })
  @ApiPage(RECORD)
  @ApiExpand()
  @ApiFields()
  list(
    @CollectionInPath() collection: string,
    @CurrentCaller() caller: Caller,
    @CurrentAnswer() answer: AnswerShareSource,
  ): Promise<ListEnvelope | LargeAnswer> {
    return this.actions.list(collection, caller, answer);
  }

  @Get(':id')
  @ForCollection()
  @RateLimitTag('view')
  @UseGuards(RuleGuard('view'))
  @ApiOperation({ summary: 'View a record' })
  @ApiRecord()
  view(
    @CollectionInPath() collection: string,
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @CurrentAnswer() answer: AnswerShareSource,
  ): Promise<Json> {
    return this.actions.view(collection, id, caller, answer);
  }

  @Post()
  @HttpCode(200)
  @ForCollection({ writes: true })
  @RateLimitTag('create')
  @UseGuards(RuleGuard('create'))
  @ApiOperation({ summary: 'Create a record' })
  @ApiRecordInput()
  @ApiRecord()
  create(
    @CollectionInPath() collection: string,
    @Req() request: RoostRequest,
    @CurrentCaller() caller: Caller,
    @CurrentAnswer() answer: AnswerShareSource,
  ): Promise<Json> {
    return this.bodies.during(request, (body) => this.actions.create(collection, body, caller, answer));
  }

  @Put()
  @ForCollection({ writes: true })
  @RateLimitLater()
  @ApiOperation({ summary: 'Create or update the record with the id of the body' })
  @ApiRecordInput()
  @ApiRecord()
  upsert(
    @CollectionInPath() collection: string,
    @Req() request: RoostRequest,
    @CurrentCaller() caller: Caller,
    @CurrentAnswer() answer: AnswerShareSource,
  ): Promise<Json> {
    return this.bodies.during(request, (body) => this.actions.upsert(collection, body, caller, answer));
  }

  @Patch(':id')
  @ForCollection({ writes: true })
  @RateLimitTag('update')
  @UseGuards(RuleGuard('update'))
  @ApiOperation({ summary: 'Update a record' })
  @ApiRecordInput()
  @ApiRecord()
  update(
    @CollectionInPath() collection: string,
    @Param('id') id: string,
    @Req() request: RoostRequest,
    @CurrentCaller() caller: Caller,
    @CurrentAnswer() answer: AnswerShareSource,
  ): Promise<Json> {
    return this.bodies.during(request, (body) => this.actions.update(collection, id, body, caller, answer));
  }

  @Delete(':id')
  @HttpCode(204)
  @ForCollection({ writes: true })
  @RateLimitTag('delete')
  @UseGuards(RuleGuard('delete'))
  @ApiOperation({ summary: 'Delete a record' })
  delete(
    @CollectionInPath() collection: string,
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.actions.delete(collection, id, caller);
  }
}

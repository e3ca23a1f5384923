import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CurrentCaller } from '../../http/request/caller.decorators.js';
import { CurrentCollection, ForCollection } from '../../http/request/collection.decorators.js';
import { ApiOkResponse, ApiOperation } from '../../http/dto/api-decorators.js';
import { CurrentForm } from '../../http/dto/current-form.decorator.js';
import { SmallBodyLimit } from '../../http/body/fixed-body-limits.js';
import { PicksFields } from '../../http/answer/picks-fields.decorator.js';
import { ReadsBody } from '../../http/body/reads-body.decorators.js';
import { RequireSuperuser } from '../../http/request/require-auth.decorator.js';
import { Collection } from '../../kernel/collections/collection.js';
import { Caller } from '../../kernel/records/caller.js';
import { ListView, ListViewDto } from './list-view.dto.js';
import { ListViewsService } from './list-views.service.js';

@Controller('api/collections/:collection/list-views')
@RequireSuperuser()
@ForCollection()
@PicksFields()
export class ListViewsController {
  constructor(private readonly views: ListViewsService) {}

  @Get()
  @ApiOperation({ summary: 'List what is kept of the lists of a collection' })
  @ApiOkResponse({ type: [ListView] })
  list(@CurrentCollection() collection: Collection, @CurrentCaller() caller: Caller): Promise<ListView[]> {
    return this.views.find(collection, caller);
  }

  @Post()
  @HttpCode(200)
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Keep a filter, a sort and columns under a name' })
  @ApiOkResponse({ type: ListView })
  create(
    @CurrentCollection() collection: Collection,
    @CurrentForm(ListViewDto) form: ListViewDto,
    @CurrentCaller() caller: Caller,
  ): Promise<ListView> {
    return this.views.create(collection, form, caller);
  }

  @Put(':id')
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Replace what is kept under a name' })
  @ApiOkResponse({ type: ListView })
  replace(
    @CurrentCollection() collection: Collection,
    @Param('id') id: string,
    @CurrentForm(ListViewDto) form: ListViewDto,
    @CurrentCaller() caller: Caller,
  ): Promise<ListView> {
    return this.views.replace(collection, id, form, caller);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Forget what is kept under a name' })
  async delete(
    @CurrentCollection() collection: Collection,
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    await this.views.delete(collection, id, caller);
  }
}

import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { CurrentBody } from '../http/body/current-body.decorator.js';
import { CurrentCaller } from '../http/request/caller.decorators.js';
import { ApiPage } from '../http/dto/api-answers.js';
import { ApiOkResponse, ApiOperation, ApiPartialBody } from '../http/dto/api-decorators.js';
import { CurrentForm } from '../http/dto/current-form.decorator.js';
import { CollectionBodyLimit, ImportBodyLimit } from '../http/body/fixed-body-limits.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { ReadsBody } from '../http/body/reads-body.decorators.js';
import type { RequestBody } from '../http/body/request-body.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import { collectionToJson } from '../kernel/collections/collection-json.js';
import { Caller } from '../kernel/records/caller.js';
import { Collection, ImportDto } from './collection.dto.js';
import { CollectionList, type CollectionPage } from './collection-list.js';
import { CollectionsService } from './collections.service.js';

/** Collections themselves (COL-79). Their records are elsewhere, and so is truncating them. */
@Controller('api/collections')
@RequireSuperuser()
@PicksFields()
export class CollectionsController {
  constructor(
    private readonly collections: CollectionsService,
    private readonly collectionList: CollectionList,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List collections' })
  @ApiPage(Collection)
  list(@Query() query: unknown, @CurrentCaller() caller: Caller): Promise<CollectionPage> {
    return this.collectionList.find(query, caller);
  }

  @Get(':collection')
  @ApiOperation({ summary: 'View a collection' })
  @ApiOkResponse({ type: Collection })
  view(@Param('collection') nameOrId: string): Record<string, unknown> {
    return collectionToJson(this.collections.get(nameOrId));
  }

  @Post()
  @HttpCode(200)
  @ReadsBody(CollectionBodyLimit)
  @ApiOperation({ summary: 'Create a collection' })
  @ApiPartialBody(Collection, 'CollectionInput')
  @ApiOkResponse({ type: Collection })
  async create(@CurrentBody() body: RequestBody, @CurrentCaller() caller: Caller): Promise<Record<string, unknown>> {
    return collectionToJson(await this.collections.create(body.values, { edited: true, caller }));
  }

  @Put('import')
  @HttpCode(204)
  @ReadsBody(ImportBodyLimit)
  @ApiOperation({ summary: 'Import collections' })
  async import(
    @CurrentForm(ImportDto) { collections, deleteMissing }: ImportDto,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    await this.collections.import(collections, { deleteMissing, caller });
  }

  @Patch(':collection')
  @ReadsBody(CollectionBodyLimit)
  @ApiOperation({ summary: 'Change a collection' })
  @ApiPartialBody(Collection, 'CollectionInput')
  @ApiOkResponse({ type: Collection })
  async update(
    @Param('collection') nameOrId: string,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<Record<string, unknown>> {
    return collectionToJson(await this.collections.update(nameOrId, body.values, { edited: true, caller }));
  }

  @Delete(':collection')
  @HttpCode(204)
  @ApiOperation({ summary: 'Delete a collection with its records' })
  async delete(@Param('collection') nameOrId: string, @CurrentCaller() caller: Caller): Promise<void> {
    await this.collections.delete(nameOrId, { edited: true, caller });
  }
}

import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '../http/dto/api-decorators.js';
import { CurrentForm } from '../http/dto/current-form.decorator.js';
import { FREE_OBJECT } from '../http/dto/schema.js';
import { CollectionBodyLimit } from '../http/body/fixed-body-limits.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { ReadsBody } from '../http/body/reads-body.decorators.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { DryRunDto, DryRunResult, OAuth2ProviderInfo } from './collection.dto.js';
import { collectionScaffolds } from './collection-scaffolds.js';
import { OAuth2ProviderList } from './oauth2-provider-list.js';
import { ViewDryRun } from './view-dry-run.js';

/** What an editor of collections needs to know beside the collections (COL-100 to COL-102). */
@Controller('api/collections/meta')
@RequireSuperuser()
@PicksFields()
export class CollectionsMetaController {
  constructor(
    private readonly types: FieldTypeRegistry,
    private readonly providers: OAuth2ProviderList,
    private readonly dryRun: ViewDryRun,
  ) {}

  @Get('scaffolds')
  @ApiOperation({ summary: 'New collections of every type' })
  @ApiOkResponse({ schema: FREE_OBJECT })
  scaffolds(): Record<string, Record<string, unknown>> {
    return collectionScaffolds(this.types);
  }

  @Get('oauth2-providers')
  @ApiOperation({ summary: 'The OAuth2 providers' })
  @ApiOkResponse({ type: [OAuth2ProviderInfo] })
  oauth2Providers(): OAuth2ProviderInfo[] {
    return this.providers.all().map(({ name, displayName, logo }) => ({ name, displayName, logo }));
  }

  @Post('dry-run-view')
  @HttpCode(200)
  @ReadsBody(CollectionBodyLimit)
  @ApiOperation({ summary: 'Try the query of a view collection' })
  @ApiOkResponse({ type: DryRunResult })
  dryRunView(@CurrentForm(DryRunDto) { query }: DryRunDto): Promise<DryRunResult> {
    return this.dryRun.run(query);
  }
}

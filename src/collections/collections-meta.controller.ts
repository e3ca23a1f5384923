import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentBody } from '../http/current-body.decorator.js';
import { CollectionBodyLimit } from '../http/fixed-body-limits.js';
import { PicksFields } from '../http/picks-fields.decorator.js';
import { ReadsBody } from '../http/reads-body.decorator.js';
import type { RequestBody } from '../http/request-body.js';
import { RequireSuperuser } from '../http/require-auth.decorator.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { collectionScaffolds } from './collection-scaffolds.js';
import { OAuth2ProviderList } from './oauth2-provider-list.js';
import { type DryRunResult, ViewDryRun } from './view-dry-run.js';

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
  scaffolds(): Record<string, Record<string, unknown>> {
    return collectionScaffolds(this.types);
  }

  @Get('oauth2-providers')
  oauth2Providers(): { name: string; displayName: string; logo: string }[] {
    return this.providers.all().map(({ name, displayName, logo }) => ({ name, displayName, logo }));
  }

  @Post('dry-run-view')
  @HttpCode(200)
  @ReadsBody(CollectionBodyLimit)
  dryRunView(@CurrentBody() body: RequestBody): Promise<DryRunResult> {
    return this.dryRun.run(body.values.query);
  }
}

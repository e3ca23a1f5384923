import { Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { CurrentCaller } from '../http/request/caller.decorators.js';
import { CurrentCollection } from '../http/request/collection.decorators.js';
import { ApiOperation } from '../http/dto/api-decorators.js';
import { CurrentForm } from '../http/dto/current-form.decorator.js';
import { SmallBodyLimit } from '../http/body/fixed-body-limits.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { ReadsBody } from '../http/body/reads-body.decorators.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import { Collection } from '../kernel/collections/collection.js';
import { Caller } from '../kernel/records/caller.js';
import { AuthCollectionGuard } from './auth-collection.guard.js';
import { ApiAuthResult } from './auth-answers.js';
import type { AuthResult } from './auth-results.js';
import { ImpersonateDto } from './impersonate.dto.js';
import { ImpersonateService } from './impersonate.service.js';

@Controller('api/collections/:collection')
export class ImpersonateController {
  constructor(private readonly impersonating: ImpersonateService) {}

  @Post('impersonate/:id')
  @RequireSuperuser()
  @UseGuards(AuthCollectionGuard)
  @HttpCode(200)
  @PicksFields()
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Issue a token of another account' })
  @ApiAuthResult()
  impersonate(
    @CurrentCollection() collection: Collection,
    @Param('id') id: string,
    @CurrentForm(ImpersonateDto) { duration }: ImpersonateDto,
    @CurrentCaller() caller: Caller,
  ): Promise<AuthResult> {
    return this.impersonating.impersonate(collection, { id, duration }, caller);
  }
}

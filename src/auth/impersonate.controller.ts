import { Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { CurrentBody } from '../http/current-body.decorator.js';
import { CurrentCaller } from '../http/current-caller.decorator.js';
import { CurrentCollection } from '../http/current-collection.decorator.js';
import { SmallBodyLimit } from '../http/fixed-body-limits.js';
import { PicksFields } from '../http/picks-fields.decorator.js';
import { ReadsBody } from '../http/reads-body.decorator.js';
import type { RequestBody } from '../http/request-body.js';
import { RequireSuperuser } from '../http/require-auth.decorator.js';
import { Collection } from '../kernel/collections/collection.js';
import { Caller } from '../kernel/records/caller.js';
import { atLeast } from '../kernel/validation/rules.js';
import { AuthCollectionGuard } from './auth-collection.guard.js';
import { readForm, requireShape } from './auth-form.js';
import type { AuthResult } from './auth-results.js';
import { type Impersonation, ImpersonateService } from './impersonate.service.js';

@Controller('api/collections/:collection')
export class ImpersonateController {
  constructor(private readonly impersonating: ImpersonateService) {}

  @Post('impersonate/:id')
  @RequireSuperuser()
  @UseGuards(AuthCollectionGuard)
  @HttpCode(200)
  @PicksFields()
  @ReadsBody(SmallBodyLimit)
  impersonate(
    @CurrentCollection() collection: Collection,
    @Param('id') id: string,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<AuthResult> {
    return this.impersonating.impersonate(collection, readImpersonation(id, body, caller), caller);
  }
}

function readImpersonation(id: string, body: RequestBody, caller: Caller): Impersonation {
  const form = readForm(body, caller, { duration: 'integer' });
  requireShape(form, { duration: atLeast(0) });
  return { id, ...form };
}

import { Controller, Post } from '@nestjs/common';
import { CurrentCaller } from '../http/request/caller.decorators.js';
import { ApiOperation } from '../http/dto/api-decorators.js';
import { parseFields, pickFields } from '../kernel/query/fields.js';
import { Caller } from '../kernel/records/caller.js';
import { ApiAuthResult } from './auth-answers.js';
import { AuthRefreshService } from './auth-refresh.service.js';
import { AuthRoute } from './auth-route.decorator.js';

@Controller('api/collections/:collection')
export class AuthRefreshController {
  constructor(private readonly refreshing: AuthRefreshService) {}

  @Post('auth-refresh')
  @AuthRoute({ tags: ['authRefresh'], signedIn: true, picksFields: false })
  @ApiOperation({ summary: 'Exchange a token for a new one' })
  @ApiAuthResult()
  async refresh(@CurrentCaller() caller: Caller): Promise<unknown> {
    const { fields } = caller.request.query;
    const picker = fields ? parseFields(fields) : undefined;
    return pickFields(picker, await this.refreshing.refresh(caller));
  }

  @Post('revoke-tokens')
  @AuthRoute({ tags: ['revokeTokens'], signedIn: true, status: 204 })
  @ApiOperation({ summary: 'End all sessions of the account' })
  revoke(@CurrentCaller() caller: Caller): Promise<void> {
    return this.refreshing.revoke(caller);
  }
}

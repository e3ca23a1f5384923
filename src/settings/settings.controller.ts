import { Controller, Get, Patch } from '@nestjs/common';
import { CurrentBody } from '../http/body/current-body.decorator.js';
import { CurrentCaller } from '../http/request/caller.decorators.js';
import { ApiOkResponse, ApiOperation, ApiPartialBody } from '../http/dto/api-decorators.js';
import { SmallBodyLimit } from '../http/body/fixed-body-limits.js';
import { PicksFields } from '../http/answer/picks-fields.decorator.js';
import { ReadsBody } from '../http/body/reads-body.decorators.js';
import type { RequestBody } from '../http/body/request-body.js';
import { RequireSuperuser } from '../http/request/require-auth.decorator.js';
import { Caller } from '../kernel/records/caller.js';
import { StoredSecrets, storedSecrets, withoutSecrets } from './settings-secrets.js';
import { Settings } from './settings.js';
import { SettingsService } from './settings.service.js';

@Controller('api/settings')
@RequireSuperuser()
@PicksFields()
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Get()
  @ApiOperation({ summary: 'View the settings' })
  @ApiOkResponse({ type: Settings })
  get(): Record<string, unknown> {
    return withoutSecrets(this.settings.get());
  }

  @Get('secrets')
  @ApiOperation({ summary: 'Which secrets of the settings are set' })
  @ApiOkResponse({ type: StoredSecrets })
  secrets(): StoredSecrets {
    return storedSecrets(this.settings.get());
  }

  @Patch()
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Change the settings' })
  @ApiPartialBody(Settings, 'SettingsInput')
  @ApiOkResponse({ type: Settings })
  async patch(@CurrentBody() body: RequestBody, @CurrentCaller() caller: Caller): Promise<Record<string, unknown>> {
    return withoutSecrets(await this.settings.patch(body.values, caller));
  }
}

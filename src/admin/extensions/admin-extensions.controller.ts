import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '../../http/dto/api-decorators.js';
import { PicksFields } from '../../http/answer/picks-fields.decorator.js';
import { RequireSuperuser } from '../../http/request/require-auth.decorator.js';
import { AdminExtensionRegistry } from './admin-extension-registry.js';
import { AdminExtensionInfo, infoOf } from './admin-extension.dto.js';

/** From here the admin UI knows what modules add to it. */
@Controller('api/admin/extensions')
@RequireSuperuser()
@PicksFields()
export class AdminExtensionsController {
  constructor(private readonly registry: AdminExtensionRegistry) {}

  @Get()
  @ApiOperation({ summary: 'What modules add to the admin UI' })
  @ApiOkResponse({ type: [AdminExtensionInfo] })
  list(): AdminExtensionInfo[] {
    return this.registry.all().map(infoOf);
  }
}

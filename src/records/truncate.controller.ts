import { Controller, Delete, HttpCode, Param } from '@nestjs/common';
import { RequireSuperuser } from '../http/require-auth.decorator.js';
import { TruncateService } from './truncate.service.js';

@Controller('api/collections/:collection/truncate')
@RequireSuperuser()
export class TruncateController {
  constructor(private readonly truncates: TruncateService) {}

  @Delete()
  @HttpCode(204)
  truncate(@Param('collection') collection: string): Promise<void> {
    return this.truncates.truncate(collection);
  }
}

import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { CLOCK } from '../../config/roost-config.js';
import { ApiOkResponse, ApiOperation } from '../../http/dto/api-decorators.js';
import { CurrentForm } from '../../http/dto/current-form.decorator.js';
import { SmallBodyLimit } from '../../http/body/fixed-body-limits.js';
import { PicksFields } from '../../http/answer/picks-fields.decorator.js';
import { ReadsBody } from '../../http/body/reads-body.decorators.js';
import { RequireSuperuser } from '../../http/request/require-auth.decorator.js';
import type { Clock } from '../../kernel/clock.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { AppleClientSecret, AppleClientSecretDto } from './apple-client-secret.dto.js';
import { appleClientSecret } from './apple-client-secret.js';

/** Makes the client secret Apple asks for from a developer's key; nothing is stored (AUTH-1009). */
@Controller('api/settings/apple/generate-client-secret')
@RequireSuperuser()
export class AppleClientSecretController {
  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  @Post()
  @HttpCode(200)
  @PicksFields()
  @ReadsBody(SmallBodyLimit)
  @ApiOperation({ summary: 'Make a client secret for Apple' })
  @ApiOkResponse({ type: AppleClientSecret })
  async generate(@CurrentForm(AppleClientSecretDto) form: AppleClientSecretDto): Promise<AppleClientSecret> {
    return { secret: await appleClientSecret(form, this.clock.now()).catch(refuseKey) };
  }
}

function refuseKey(cause: unknown): never {
  throw new BadRequestError('The private key is not one that Apple uses.', {}, { cause });
}

import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { CLOCK } from '../../config/roost-config.js';
import { CurrentBody } from '../../http/current-body.decorator.js';
import { CurrentCaller } from '../../http/current-caller.decorator.js';
import { SmallBodyLimit } from '../../http/fixed-body-limits.js';
import { PicksFields } from '../../http/picks-fields.decorator.js';
import { ReadsBody } from '../../http/reads-body.decorator.js';
import type { RequestBody } from '../../http/request-body.js';
import { RequireSuperuser } from '../../http/require-auth.decorator.js';
import type { Clock } from '../../kernel/clock.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { Caller } from '../../kernel/records/caller.js';
import { atLeast, atMost, exactLength, pattern, required } from '../../kernel/validation/rules.js';
import { readForm, requireShape } from '../auth-form.js';
import { appleClientSecret, type AppleClientSecretForm } from './apple-client-secret.js';

const PRIVATE_KEY = /^\s*-----BEGIN PRIVATE KEY-----[\s\S]+-----END PRIVATE KEY-----\s*$/;
const SIX_MONTHS = 15_777_000;

/** Makes the client secret Apple asks for from a developer's key; nothing is stored (AUTH-1009). */
@Controller('api/settings/apple/generate-client-secret')
@RequireSuperuser()
export class AppleClientSecretController {
  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  @Post()
  @HttpCode(200)
  @PicksFields()
  @ReadsBody(SmallBodyLimit)
  async generate(@CurrentBody() body: RequestBody, @CurrentCaller() caller: Caller): Promise<{ secret: string }> {
    return { secret: await appleClientSecret(readKey(body, caller), this.clock.now()).catch(refuseKey) };
  }
}

function readKey(body: RequestBody, caller: Caller): AppleClientSecretForm {
  const form = readForm(body, caller, {
    clientId: 'text',
    teamId: 'text',
    keyId: 'text',
    privateKey: 'text',
    duration: 'integer',
  });
  requireShape(form, {
    clientId: required,
    teamId: [required, exactLength(10)],
    keyId: [required, exactLength(10)],
    privateKey: [required, pattern(PRIVATE_KEY)],
    duration: [required, atLeast(1), atMost(SIX_MONTHS)],
  });
  return form;
}

function refuseKey(cause: unknown): never {
  throw new BadRequestError('The private key is not one that Apple uses.', {}, { cause });
}

import { existsSync } from 'node:fs';
import { Controller, Get, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiExcludeController } from '../../http/dto/api-decorators.js';
import { CurrentBody } from '../../http/body/current-body.decorator.js';
import { CurrentCaller } from '../../http/request/caller.decorators.js';
import { CurrentForm } from '../../http/dto/current-form.decorator.js';
import { SmallBodyLimit } from '../../http/body/fixed-body-limits.js';
import { ReadsBody } from '../../http/body/reads-body.decorators.js';
import type { RequestBody } from '../../http/body/request-body.js';
import { Caller } from '../../kernel/records/caller.js';
import { OAuth2RedirectDto } from './oauth2-redirect.dto.js';
import { type OAuth2Redirect, OAuth2RedirectService } from './oauth2-redirect.service.js';

/** Where providers send browsers back to; the page they see tells whether to go back to the application. */
@ApiExcludeController()
@Controller('api/oauth2-redirect')
export class OAuth2RedirectController {
  private readonly hasPages = existsSync(new URL('../../admin/client/index.html', import.meta.url));

  constructor(private readonly redirects: OAuth2RedirectService) {}

  @Get()
  async arrive(@CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.answer(reply, 307, await this.redirects.deliver(readQuery(caller), caller.ip));
  }

  /** Apple posts a form. */
  @Post()
  @ReadsBody(SmallBodyLimit)
  async arriveByForm(
    @CurrentForm(OAuth2RedirectDto) { state, code, error }: OAuth2RedirectDto,
    @CurrentBody('values') { user }: RequestBody['values'],
    @CurrentCaller() caller: Caller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.answer(reply, 303, await this.redirects.deliver({ state, code, error, user }, caller.ip));
  }

  private async answer(reply: FastifyReply, status: 303 | 307, isSuccess: boolean): Promise<void> {
    // The URL contains a code that signs somebody in, so no referrer may leak it.
    void reply.headers({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    if (this.hasPages) {
      // Relative, so that it holds below any path this server is hosted under.
      await reply.redirect(`../_/#/auth/oauth2-redirect-${isSuccess ? 'success' : 'failure'}`, status);
    } else {
      const text = isSuccess ? 'You are signed in and may close this window.' : 'The sign-in failed.';
      await reply.type('text/plain; charset=utf-8').send(text);
    }
  }
}

function readQuery({ request }: Caller): OAuth2Redirect {
  const { state = '', code = '', error = '' } = request.query;
  return { state, code, error, user: undefined };
}

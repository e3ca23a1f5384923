import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Caller, GUEST, RecordsService, runAs, TokensService } from 'roost';

/** Messages of a socket carry the token that signing in gave. */
@Injectable()
export class TokenInterceptor implements NestInterceptor {
  constructor(
    private readonly records: RecordsService,
    private readonly tokens: TokensService,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { token = '' } = context.switchToWs().getData<{ token?: string }>();
    return runAs(await this.callerWith(token), () => next.handle());
  }

  private async callerWith(token: string): Promise<Caller> {
    const claims = this.tokens.parseUnverified(token);
    if (!claims) return GUEST;
    const record = await this.records.findFirst(claims.collectionId, 'id = {:id}', { id: claims.id });
    return record && (await this.tokens.verify(token, 'auth', record)) ? new Caller(record) : GUEST;
  }
}

import { Injectable } from '@nestjs/common';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { TokensService } from '../tokens/tokens.service.js';
import { BeforeFileToken } from './file.hooks.js';

/** Hands out the short-lived tokens that open protected files (FS-90 to FS-93). */
@Injectable()
export class FileTokensService {
  constructor(
    private readonly tokens: TokensService,
    private readonly hooks: HookRegistry,
  ) {}

  /** A file token for an account. */
  async issue(record: RecordModel): Promise<{ token: string }> {
    const event = { record, token: await this.tokens.issue(record, 'file') };
    await this.hooks.run(BeforeFileToken, event, record.collection);
    return { token: event.token };
  }
}

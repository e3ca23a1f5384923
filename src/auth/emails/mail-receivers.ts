import { Injectable } from '@nestjs/common';
import type { Hook } from '../../hooks/create-hook.js';
import { HookRegistry } from '../../hooks/hook-registry.js';
import { EventLoopTurn } from '../../http/event-loop/event-loop-turn.js';
import { clientOf } from '../../http/request/client-ip.js';
import type { Collection } from '../../kernel/collections/collection.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { AuthRecords } from '../../records/auth-records.js';
import { namedAccount } from '../named-account.js';
import type { AccountMailRequestEvent } from './account.hooks.js';

/** Who has a mail sent to which address. */
export interface MailRequest {
  readonly collection: Collection;
  readonly email: string;
  readonly caller: Caller;
}

/** Finds whose address it is, as hooks see it. */
@Injectable()
export class MailReceivers {
  constructor(
    private readonly authRecords: AuthRecords,
    private readonly hooks: HookRegistry,
  ) {}

  /** Undefined for nobody. Hooks run either way, so that nothing tells whether there is an account. */
  async find(
    hook: Hook<AccountMailRequestEvent>,
    { collection, email, caller }: MailRequest,
  ): Promise<RecordModel | undefined> {
    // Accounts may be large, and somebody may ask about very many in the same moment (OPS-39).
    await new EventLoopTurn(clientOf(caller.ip)).next();
    const found = await this.authRecords.findByIdentity(collection, 'email', email);
    if (!this.hooks.has(hook, collection)) return found;
    const event: AccountMailRequestEvent = { collection, caller, email, record: found ?? null };
    await this.hooks.run(hook, event, collection);
    return namedAccount(this.authRecords, collection, event.record);
  }
}

import { Injectable } from '@nestjs/common';
import { TurnQueue } from '../../kernel/turn-queue.js';
import { clientOf } from '../../http/request/client-ip.js';
import { LargeAnswer } from '../../http/answer/large-answer.js';
import { EventLoopTurn } from '../../http/event-loop/event-loop-turn.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { jsonInPieces } from '../../kernel/json-in-pieces.js';
import type { FieldPicker } from '../../kernel/query/fields.js';
import type { ListPage } from '../../kernel/query/page.js';
import type { RecordModel, RecordRow } from '../../kernel/records/record-model.js';
import { isNarrowed } from '../../kernel/resolve/narrow-columns.js';
import { type PreparedRecords, RecordPresenter } from './record-presenter.js';
import { RecordRules } from '../record-rules.js';

/** Wide answers that are written at the same time, each with one record in memory. Others wait in order. */
const AT_ONCE = 16;
/** Wide answers of one client at the same time, so that a slow reader cannot block all others. */
const OF_CLIENT = 12;

/** A page whose records are too wide to be read at once. */
export interface WidePage {
  readonly collection: Collection;
  /** Of the same order as the records. */
  readonly rows: readonly RecordRow[];
  readonly prepared: PreparedRecords;
  readonly counts: Omit<ListPage<never>, 'items'>;
  readonly picker: FieldPicker | undefined;
}

/** Lists of wide records: each is read, under the list rule, when those before it are on their way. */
@Injectable()
export class WideList {
  private readonly writing = new TurnQueue(AT_ONCE);
  private readonly clients = new Map<string, { readonly writing: TurnQueue; answers: number }>();

  constructor(
    private readonly rules: RecordRules,
    private readonly presenter: RecordPresenter,
  ) {}

  answer(page: WidePage): LargeAnswer {
    return new LargeAnswer(() => this.pieces(page));
  }

  private async *pieces(page: WidePage): AsyncGenerator<string> {
    const ip = clientOf(page.prepared.caller.ip);
    const client = this.clients.get(ip) ?? { writing: new TurnQueue(OF_CLIENT), answers: 0 };
    this.clients.set(ip, client);
    client.answers++;
    const endOfClient = await client.writing.acquire();
    const end = await this.writing.acquire();
    try {
      // A client that disconnected while waiting needs no answer.
      if (!page.prepared.caller.request.isAbandoned) yield* this.written(page);
    } finally {
      end();
      endOfClient();
      if (--client.answers === 0) this.clients.delete(ip);
    }
  }

  /** Writes the records one by one. Those that were deleted, or no longer pass the list rule, are left out. */
  private async *written({ collection, rows, prepared, counts, picker }: WidePage): AsyncGenerator<string> {
    const turn = new EventLoopTurn();
    let before = '{"items":[';
    for (const [index, partial] of prepared.records.entries()) {
      await turn.pause();
      const isWhole = !isNarrowed(collection, rows[index]!);
      const record = isWhole ? partial : await this.rules.find(collection, partial.id, 'list', prepared.caller);
      if (!record) continue;
      // The limit of what `fields` may read holds for each record anew.
      picker?.reading?.renew();
      const shown = await this.presenter.presentOne(inPlaceOf(partial, record, prepared), picker);
      for (const piece of jsonInPieces(shown, before)) {
        yield piece;
        await turn.pause();
      }
      before = ',';
    }
    const { page, perPage, totalItems, totalPages } = counts;
    const rest = JSON.stringify({ page, perPage, totalItems, totalPages }).slice(1);
    yield `${before === ',' ? '' : before}],${rest}`;
  }
}

/** Presents one record alone, with what was found out about the page it belongs to. */
function inPlaceOf(
  partial: RecordModel,
  record: RecordModel,
  { caller, hiddenEmails }: PreparedRecords,
): PreparedRecords {
  record.expand = partial.expand;
  const isHidden = hiddenEmails.has(partial) && record !== partial;
  return { caller, records: [record], hiddenEmails: isHidden ? new Set([...hiddenEmails, record]) : hiddenEmails };
}

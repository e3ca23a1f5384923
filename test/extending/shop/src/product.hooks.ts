import { Injectable } from '@nestjs/common';
import {
  AfterRecordUpdate,
  BadRequestError,
  BeforeRecordCreate,
  BeforeRecordDelete,
  EnrichRecord,
  type EnrichRecordEvent,
  RealtimeService,
  type RecordCreateEvent,
  type RecordDeleteEvent,
  RecordsService,
  type RecordUpdatedEvent,
} from 'roost';

/** What is special about products: slugs, a margin for superusers, and news of the stock. */
@Injectable()
export class ProductHooks {
  constructor(
    private readonly records: RecordsService,
    private readonly realtime: RealtimeService,
  ) {}

  @BeforeRecordCreate('products')
  slugify({ record }: RecordCreateEvent): void {
    const name = record.get('name') as string;
    record.set('slug', name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'));
  }

  /** Inside the transaction of the delete, so no order can slip in between. */
  @BeforeRecordDelete('products')
  async keepOrdered({ record }: RecordDeleteEvent): Promise<void> {
    const orders = await this.records.count('orders', { filter: 'product = {:id}', params: { id: record.id } });
    if (orders > 0) throw new BadRequestError('The product has been ordered.');
  }

  @EnrichRecord('products')
  hideCost({ caller, output }: EnrichRecordEvent): void {
    if (caller.isSuperuser) output['margin'] = Number(output['price']) - Number(output['cost']);
    else delete output['cost'];
  }

  /** After the commit: nobody hears of a stock that was rolled back. */
  @AfterRecordUpdate('products')
  tellStock({ record }: RecordUpdatedEvent): void {
    this.realtime.publish('shop/stock', { product: record.id, stock: record.get('stock') });
  }
}

import { ConflictException, Injectable } from '@nestjs/common';
import { type RecordModel, RecordsService } from 'roost';

/** Orders and what they do to the stock. */
@Injectable()
export class OrdersService {
  constructor(private readonly records: RecordsService) {}

  /**
   * Takes the goods from the stock and stores the order, or does neither. Transactions run one after another, so what
   * is read here cannot change before it is written. Throws 404 for an unknown product and 409 when too few are left.
   */
  place(customer: RecordModel, productId: string, quantity: number): Promise<RecordModel> {
    return this.records.transaction(async () => {
      const product = await this.records.findOne('products', productId);
      if ((product.get('stock') as number) < quantity) throw new ConflictException('There are not enough of these.');
      const order = await this.records.create('orders', {
        customer: customer.id,
        product: product.id,
        quantity,
        total: quantity * (product.get('price') as number),
        state: 'open',
      });
      await this.records.update('products', product.id, { 'stock-': quantity });
      return order;
    });
  }

  /** Marks an order as paid. A webhook may arrive twice; the second time changes nothing. Throws 404. */
  async pay(orderId: string): Promise<void> {
    await this.records.transaction(async () => {
      const order = await this.records.findOne('orders', orderId);
      if (order.get('state') !== 'paid') await this.records.update('orders', orderId, { state: 'paid' });
    });
  }
}

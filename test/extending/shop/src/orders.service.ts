import { ConflictException, Injectable } from '@nestjs/common';
import { type RecordModel, RecordsService, ValidationError } from 'roost';

/** Orders and what they do to the stock. */
@Injectable()
export class OrdersService {
  constructor(private readonly records: RecordsService) {}

  /**
   * Takes the goods from the stock and stores the order, or does neither. The stock is written before anything is
   * decided by it: from then on nobody else changes it until this is over. Throws 404 for an unknown product and 409
   * when too few are left.
   */
  place(customer: RecordModel, productId: string, quantity: number): Promise<RecordModel> {
    return this.records.transaction(async () => {
      const product = await this.take(productId, quantity);
      return this.records.create('orders', {
        customer: customer.id,
        product: product.id,
        quantity,
        total: quantity * (product.get('price') as number),
        state: 'open',
      });
    });
  }

  /** The stock has a minimum of 0. */
  private async take(productId: string, quantity: number): Promise<RecordModel> {
    try {
      return await this.records.update('products', productId, { 'stock-': quantity });
    } catch (error) {
      throw error instanceof ValidationError ? new ConflictException('There are not enough of these.') : error;
    }
  }

  /** Marks an order as paid. A webhook may arrive twice; the second time changes nothing. Throws 404. */
  async pay(orderId: string): Promise<void> {
    await this.records.transaction(async () => {
      const order = await this.records.findOne('orders', orderId);
      if (order.get('state') !== 'paid') await this.records.update('orders', orderId, { state: 'paid' });
    });
  }
}

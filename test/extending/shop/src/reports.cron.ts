import { Injectable } from '@nestjs/common';
import { Cron, Interval } from '@nestjs/schedule';
import { RecordsService } from 'roost';

const PAGE = 500;

/** What runs by itself. `GET /api/crons` lists both, `POST /api/crons/nightly-report` makes a report now. */
@Injectable()
export class ReportsCron {
  constructor(private readonly records: RecordsService) {}

  @Cron('0 3 * * *', { name: 'nightly-report' })
  async report(): Promise<void> {
    const totals = { orders: 0, revenue: 0 };
    for (let page = 1; ; page++) {
      const { items } = await this.records.find('orders', {
        filter: 'state = {:state}',
        params: { state: 'paid' },
        sort: 'id',
        page,
        perPage: PAGE,
        skipTotal: true,
      });
      totals.orders += items.length;
      totals.revenue += items.reduce((sum, order) => sum + (order.get('total') as number), 0);
      if (items.length < PAGE) break;
    }
    await this.records.create('reports', totals);
  }

  /** Keeps the newest reports only. */
  @Interval(3_600_000)
  async tidy(): Promise<void> {
    const { items } = await this.records.find('reports', { sort: '-created', page: 2, perPage: PAGE, skipTotal: true });
    for (const { id } of items) await this.records.delete('reports', id);
  }
}

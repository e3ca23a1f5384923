import { Injectable, Module } from '@nestjs/common';
import { AfterRecordUpdate, RecordsService, type RecordUpdatedEvent } from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

const seen: string[] = [];

@Injectable()
class StateHooks {
  @AfterRecordUpdate('orders')
  note({ record, before }: RecordUpdatedEvent): void {
    seen.push(`${String(before.get('state'))} -> ${String(record.get('state'))}`);
  }
}

@Module({ providers: [StateHooks] })
class StateModule {}

describe('AfterRecordUpdate', () => {
  let roost: TestRoost;
  let records: RecordsService;
  beforeAll(async () => {
    roost = await startRoost({ imports: [StateModule] });
    records = roost.app.get(RecordsService, { strict: false });
    await roost.createCollections({ name: 'orders', type: 'base', fields: [{ name: 'state', type: 'text' }] });
  });
  afterAll(() => roost.close());

  it('EXT-31 has the record as it was before each of the changes', async () => {
    const { id } = await records.create('orders', { state: 'open' });
    await records.update('orders', id, { state: 'paid' });
    await records.transaction(async () => {
      await records.update('orders', id, { state: 'packed' });
      await records.update('orders', id, { state: 'sent' });
    });
    expect(seen).toEqual(['open -> paid', 'paid -> packed', 'packed -> sent']);
  });
});

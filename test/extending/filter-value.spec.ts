import { Module } from '@nestjs/common';
import { type FieldType, FieldTypesModule, type FilterValue, RecordsService, type SqlValue } from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';
import { SseReader } from '../support/sse-reader.js';

/** An amount with two decimals, kept in whole cents. */
class MoneyField implements FieldType<number> {
  readonly type = 'money';
  readonly options = {};
  column = () => 'number' as const;
  operandKind = () => 'N' as const;
  isMultiple = () => false;
  checkOptions = () => ({});
  normalize = (raw: unknown) => Math.round(Number(raw) * 100) / 100 || 0;
  isZero = (value: number) => value === 0;
  validate = () => undefined;
  toColumn = (value: number): SqlValue => Math.round(value * 100);
  fromColumn = (stored: SqlValue) => Number(stored) / 100;
  filterValue = (column: FilterValue) => column.dividedBy(100);
}

/** A text kept with its letters as they were written, and compared without regard to them. */
class NicknameField implements FieldType<string> {
  readonly type = 'nickname';
  readonly options = {};
  column = () => 'text' as const;
  operandKind = () => 'T' as const;
  isMultiple = () => false;
  checkOptions = () => ({});
  normalize = (raw: unknown) => String(raw ?? '');
  isZero = (value: string) => value === '';
  validate = () => undefined;
  toColumn = (value: string): SqlValue => value;
  fromColumn = (stored: SqlValue) => String(stored ?? '');
  filterValue = (column: FilterValue) => column.lower();
}

@Module({ imports: [FieldTypesModule.register(MoneyField), FieldTypesModule.register(NicknameField)] })
class ClinicModule {}

describe('a field type with a filter value of its own', () => {
  let roost: TestRoost;
  let records: RecordsService;

  beforeAll(async () => {
    roost = await startRoost({ imports: [ClinicModule] });
    await roost.createCollections(
      {
        id: 'treatments_0001',
        name: 'treatments',
        type: 'base',
        listRule: 'fee <= 100',
        viewRule: '',
        createRule: '@request.body.fee < 50 && fee < 50',
        updateRule: 'fee = @request.body.fee',
        fields: [
          { name: 'name', type: 'nickname' },
          { name: 'fee', type: 'money' },
        ],
      },
      {
        name: 'visits',
        type: 'base',
        listRule: '',
        fields: [{ name: 'treatments', type: 'relation', collectionId: 'treatments_0001', maxSelect: 5 }],
      },
      {
        name: 'prices',
        type: 'view',
        listRule: '',
        viewQuery: 'SELECT id, fee FROM treatments',
      },
    );
    records = roost.app.get(RecordsService, { strict: false });
    for (const [name, fee] of [
      ['Cleaning', 80],
      ['Filling', 80.1],
      ['X-Ray', 35.5],
      ['Crown', 900],
    ]) {
      await records.create('treatments', { name, fee });
    }
    const { items } = await records.find('treatments', { sort: 'fee' });
    await records.create('visits', { treatments: items.slice(0, 2).map(({ id }) => id) });
    await records.create('visits', { treatments: items.slice(3).map(({ id }) => id) });
  });
  afterAll(() => roost.close());

  const fees = async (filter: string, sort = 'fee'): Promise<unknown[]> =>
    (await records.find('treatments', { filter, sort })).items.map((record) => record.get('fee'));

  it.each([
    ['fee > 80', [80.1, 900]],
    ['fee = 80.1', [80.1]],
    ['fee != 80.1', [35.5, 80, 900]],
    ['fee <= 80', [35.5, 80]],
    ['fee ~ "0.1"', [80.1]],
    ['fee = "35.5"', [35.5]],
    ['name = "crown"', [900]],
    ['name = "Crown"', []],
    ['name:lower = "crown"', [900]],
  ])('EXT-43 compares what the type says: %s', async (filter, expected) => {
    expect(await fees(filter)).toEqual(expected);
  });

  it('EXT-43 sorts by it, and follows relations and views to it', async () => {
    expect(await fees('id != ""', '-fee')).toEqual([900, 80.1, 80, 35.5]);
    expect((await records.find('visits', { filter: 'treatments.fee ?> 100' })).items).toHaveLength(1);
    expect((await records.find('visits', { filter: 'treatments.fee <= 80' })).items).toHaveLength(1);
    const prices = await roost.inject({
      url: `/api/collections/prices/records?filter=${encodeURIComponent('fee > 80.05')}&sort=fee`,
    });
    expect(prices.body.items.map(({ fee }: { fee: number }) => fee)).toEqual([80.1, 900]);
  });

  it('EXT-43 holds in rules, for what is stored, what is sent and what is to be stored', async () => {
    const list = await roost.inject({ url: '/api/collections/treatments/records?sort=fee' });
    expect(list.body.items.map(({ fee }: { fee: number }) => fee)).toEqual([35.5, 80, 80.1]);
    const create = (fee: number) =>
      roost.inject({ url: '/api/collections/treatments/records', body: { name: 'x', fee } });
    expect((await create(49.99)).status).toBe(200);
    expect((await create(50)).status).toBe(400);
    const { id } = list.body.items[2];
    const update = (fee: number) =>
      roost.inject({
        method: 'PATCH',
        url: `/api/collections/treatments/records/${id}`,
        body: { fee, name: 'Filled' },
      });
    expect((await update(80.11)).status).toBe(404);
    expect((await update(80.1)).status).toBe(200);
  });

  it('EXT-43 holds for events', async () => {
    const { port } = new URL(await roost.listen());
    const stream = await SseReader.connect({ port: Number(port) });
    try {
      const query = { filter: 'fee > 10 && fee < 20' };
      const topic = `treatments/*?options=${encodeURIComponent(JSON.stringify({ query }))}`;
      await roost.inject({ url: '/api/realtime', body: { clientId: stream.clientId, subscriptions: [topic] } });
      await records.create('treatments', { name: 'a', fee: 1500 });
      await records.create('treatments', { name: 'b', fee: 15 });
      const [message] = await stream.receive(1);
      expect(JSON.parse(message!.data)).toMatchObject({ action: 'create', record: { name: 'b', fee: 15 } });
    } finally {
      stream.close();
    }
  });
});

import { Injectable, Module } from '@nestjs/common';
import {
  BadRequestError,
  BeforeRecordCreate,
  BeforeRecordCreateCommit,
  BeforeRecordDeleteCommit,
  BeforeRecordUpdateCommit,
  type RecordCreateEvent,
  type RecordDeleteEvent,
  RecordsModule,
  RecordsService,
  type RecordUpdatedEvent,
  ValidateRecord,
  type ValidateRecordEvent,
} from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

const NOTES = {
  name: 'notes',
  type: 'base',
  createRule: '',
  updateRule: '',
  deleteRule: '',
  viewRule: '',
  fields: [
    { name: 'text', type: 'text', required: true },
    { name: 'stars', type: 'number', max: 5 },
  ],
};
const AUDIT = { name: 'audit', type: 'base', fields: [{ name: 'what', type: 'text' }] };

let seen: string[];

@Injectable()
class AuditHooks {
  constructor(private readonly records: RecordsService) {}

  @BeforeRecordCreate('notes')
  before({ record }: RecordCreateEvent): void {
    seen.push(record.id);
  }

  @ValidateRecord('notes')
  validate({ record, errors, caller }: ValidateRecordEvent): void {
    seen.push(`validated for ${caller === null ? 'code' : 'a caller'}`);
    if (record.get('text') === 'spam') errors['text'] = { code: 'validation_spam', message: 'Spam.' };
  }

  @BeforeRecordCreateCommit('notes')
  async created({ record }: RecordCreateEvent): Promise<void> {
    const stored = await this.records.findOne('notes', record.id);
    await this.records.create('audit', { what: `created ${String(stored.get('text'))}` });
    if (record.get('text') === 'undone') throw new BadRequestError('Not this one.');
  }

  @BeforeRecordUpdateCommit('notes')
  async updated({ record, before }: RecordUpdatedEvent): Promise<void> {
    const what = `updated ${String(before.get('text'))} to ${String(record.get('text'))}`;
    await this.records.create('audit', { what });
    if (record.get('text') === 'undone') throw new Error('a secret');
  }

  @BeforeRecordDeleteCommit('notes')
  async deleted({ record }: RecordDeleteEvent): Promise<void> {
    const found = await this.records.count('notes', { filter: 'id = {:id}', params: { id: record.id } });
    await this.records.create('audit', { what: `deleted, ${found} left` });
    if (record.get('text') === 'kept') throw new BadRequestError('It stays.');
  }
}

@Module({ imports: [RecordsModule], providers: [AuditHooks] })
class AuditModule {}

describe('hooks inside the transaction', () => {
  let roost: TestRoost;

  const records = () => roost.app.get(RecordsService, { strict: false });
  const audit = async () => (await records().find('audit', { sort: '@rowid' })).items.map((row) => row.get('what'));
  const create = (body: object) => roost.inject({ url: '/api/collections/notes/records', body });

  beforeEach(async () => {
    seen = [];
    roost = await startRoost({ imports: [AuditModule] });
    await roost.createCollections(NOTES, AUDIT);
  });
  afterEach(() => roost.close());

  it('EXT-35 a record that is about to be created has its id', async () => {
    const { body } = await create({ text: 'a' });
    expect(seen[0]).toBe(body.id);
    expect(body.id).toMatch(/^[a-z0-9]{15}$/);
    await create({ id: 'abcdefghijklmno', text: 'b' });
    expect(seen).toContain('abcdefghijklmno');
    const again = await create({ id: 'abcdefghijklmno', text: 'c' });
    expect(again.body.data).toHaveProperty('id');
  });

  it('EXT-35 after the row is written it can be read, and a throw undoes all', async () => {
    const { body } = await create({ text: 'a' });
    expect(await audit()).toEqual(['created a']);
    const refused = await create({ text: 'undone' });
    expect([refused.status, refused.body.message]).toEqual([400, 'Not this one.']);
    const url = `/api/collections/notes/records/${body.id}`;
    expect((await roost.inject({ method: 'PATCH', url, body: { text: 'b' } })).status).toBe(200);
    const broken = await roost.inject({ method: 'PATCH', url, body: { text: 'undone' } });
    expect([broken.status, broken.text.includes('secret')]).toEqual([400, false]);
    expect((await roost.inject({ url })).body.text).toBe('b');
    await roost.inject({ method: 'PATCH', url, body: { text: 'kept' } });
    expect((await roost.inject({ method: 'DELETE', url })).status).toBe(400);
    await roost.inject({ method: 'PATCH', url, body: { text: 'gone' } });
    expect((await roost.inject({ method: 'DELETE', url })).status).toBe(204);
    expect(await audit()).toEqual([
      'created a',
      'updated a to b',
      'updated b to kept',
      'updated kept to gone',
      'deleted, 0 left',
    ]);
  });

  it('EXT-35 ValidateRecord adds its errors to those of the product', async () => {
    const { status, body } = await create({ text: 'spam', stars: 9 });
    expect(status).toBe(400);
    expect(body.data.text).toEqual({ code: 'validation_spam', message: 'Spam.' });
    expect(body.data).toHaveProperty('stars');
    expect(seen).toContain('validated for a caller');
    await records().create('notes', { text: 'fine' });
    expect(seen).toContain('validated for code');
    await expect(records().create('notes', { text: 'spam' })).rejects.toThrow();
    expect(await audit()).toEqual(['created fine']);
  });
});

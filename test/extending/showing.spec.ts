import { Controller, Get, Injectable, Module, Param } from '@nestjs/common';
import {
  type Caller,
  CurrentCaller,
  EnrichRecord,
  type EnrichRecordEvent,
  RecordsModule,
  RecordsService,
  RequireAuth,
} from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

const MEMBERS = {
  id: 'members00000001',
  name: 'members',
  type: 'auth',
  viewRule: '',
  listRule: '',
  fields: [{ name: 'nick', type: 'text' }],
};
const LETTERS = {
  name: 'letters',
  type: 'base',
  viewRule: '',
  listRule: '',
  fields: [
    { name: 'text', type: 'text' },
    { name: 'notes', type: 'text' },
    { name: 'spam', type: 'number', hidden: true },
    { name: 'from', type: 'relation', collectionId: MEMBERS.id, maxSelect: 1 },
  ],
};

@Injectable()
class LetterHooks {
  @EnrichRecord('letters')
  hide({ record, caller, output }: EnrichRecordEvent): void {
    if (caller.auth?.id !== record.get('from')) delete output['notes'];
  }
}

@Controller('api/letters')
@RequireAuth()
class LettersController {
  constructor(private readonly records: RecordsService) {}

  @Get('newest')
  async newest(@CurrentCaller() caller: Caller): Promise<object> {
    const { items } = await this.records.find('letters', { as: caller, expand: 'from', sort: 'text' });
    return this.records.show(items, caller);
  }

  @Get(':id')
  async one(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<object> {
    const letter = await this.records.findOne('letters', id, { as: caller, expand: 'from' });
    return this.records.show(letter, caller, { fields: 'text,expand.from.nick' });
  }
}

@Module({ imports: [RecordsModule], controllers: [LettersController], providers: [LetterHooks] })
class LettersModule {}

describe('RecordsService.show', () => {
  let roost: TestRoost;
  const tokens: Record<string, string> = {};
  let letter: string;
  beforeAll(async () => {
    roost = await startRoost({ imports: [LettersModule] });
    tokens['root'] = await roost.createSuperuser();
    await roost.createCollections(MEMBERS, LETTERS);
    const records = roost.app.get(RecordsService, { strict: false });
    for (const nick of ['ann', 'bob']) {
      const email = `${nick}@example.com`;
      const member = await records.create('members', { nick, email, password: '1234567890' });
      tokens[nick] = await roost.signIn('members', email);
      const written = await records.create('letters', {
        text: `From ${nick}`,
        notes: 'Mine',
        spam: 3,
        from: member.id,
      });
      if (nick === 'ann') letter = written.id;
    }
  });
  afterAll(() => roost.close());

  it.each(['ann', 'bob', 'root'])('EXT-20 EXT-31 writes records for %s as the record API does', async (who) => {
    const token = tokens[who]!;
    const { body } = await roost.inject({ url: '/api/letters/newest', token });
    const theirs = await roost.inject({ url: '/api/collections/letters/records?expand=from&sort=text', token });
    expect(body).toEqual(theirs.body.items);
    const email = who === 'bob' ? undefined : 'ann@example.com';
    expect([body[0].notes, body[0].spam, body[0].expand.from.email]).toEqual([
      who === 'ann' ? 'Mine' : undefined,
      who === 'root' ? 3 : undefined,
      email,
    ]);
  });

  it('EXT-20 keeps the fields that are asked for', async () => {
    const { body } = await roost.inject({ url: `/api/letters/${letter}`, token: tokens['bob']! });
    expect(body).toEqual({ text: 'From ann', expand: { from: { nick: 'ann' } } });
  });
});

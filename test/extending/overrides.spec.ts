import { existsSync } from 'node:fs';
import { Controller, Get, Inject, Injectable, Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import {
  CLOCK,
  MAIL_TRANSPORT,
  MailModule,
  MailService,
  RecordsModule,
  RecordsService,
  ROOST_CONFIG,
  RoostModule,
  SettingsService,
} from 'roost';
import { CapturedMails, TestClock } from 'roost/testing';
import { describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

/** Asks somebody far away. */
@Injectable()
class Rates {
  of(currency: string): Promise<number> {
    return Promise.reject(new Error(`No network for ${currency}.`));
  }
}

@Controller('api/rates')
class RatesController {
  constructor(private readonly rates: Rates) {}

  @Get()
  async rate(): Promise<object> {
    return { rate: await this.rates.of('EUR') };
  }
}

@Injectable()
class Notes {
  constructor(
    private readonly records: RecordsService,
    private readonly mails: MailService,
    @Inject(Rates) readonly rates: Rates,
  ) {}

  async note(text: string): Promise<string> {
    const { id } = await this.records.create('notes', { text, rate: await this.rates.of('EUR') });
    await this.mails.send({ to: 'a@example.com', subject: text, html: '<p>noted</p>' });
    return id;
  }
}

@Module({
  imports: [RecordsModule, MailModule],
  controllers: [RatesController],
  providers: [Rates, Notes],
  exports: [Notes],
})
class NotesModule {}

const fixed = { of: () => Promise.resolve(1.25) };
const NOTES = {
  name: 'notes',
  type: 'base',
  fields: [
    { name: 'text', type: 'text' },
    { name: 'rate', type: 'number' },
    { name: 'created', type: 'autodate', onCreate: true },
  ],
};

describe('tests of a team', () => {
  it('EXT-51 override providers of their own and of Roost in a test application', async () => {
    const clock = new TestClock();
    clock.freeze(Date.UTC(2031, 4, 6));
    const roost = await startRoost({
      imports: [NotesModule],
      override: (builder) => builder.overrideProvider(Rates).useValue(fixed).overrideProvider(CLOCK).useValue(clock),
    });
    try {
      expect((await roost.inject({ url: '/api/rates' })).body).toEqual({ rate: 1.25 });
      await roost.createCollections(NOTES);
      const id = await roost.app.get(Notes, { strict: false }).note('first');
      const note = await roost.app.get(RecordsService, { strict: false }).findOne('notes', id);
      expect(note.get('rate')).toBe(1.25);
      expect(note.get('created')).toBe('2031-05-06 00:00:00.000Z');
      expect(roost.mails.map(({ subject }) => subject)).toEqual(['first']);
    } finally {
      await roost.close();
    }
  });

  it('EXT-51 are plain testing modules of Nest with RoostModule.forTest', async () => {
    const module = await Test.createTestingModule({ imports: [RoostModule.forTest(), NotesModule] })
      .overrideProvider(Rates)
      .useValue(fixed)
      .compile();
    await module.init();
    const { dir } = module.get(ROOST_CONFIG, { strict: false });
    expect(existsSync(dir)).toBe(true);
    await module.get(SettingsService, { strict: false }).patch({ meta: { appName: 'Tested' } });
    const records = module.get(RecordsService, { strict: false });
    await records.create('users', { email: 'a@example.com', password: '1234567890' });
    expect(await records.count('users')).toBe(1);
    await expect(module.get(Notes).note('x')).rejects.toThrow('There is no collection "notes".');
    await module.get(MailService, { strict: false }).send({ to: 'b@example.com', subject: 'kept', html: 'x' });
    expect(module.get<CapturedMails>(MAIL_TRANSPORT, { strict: false }).all).toMatchObject([{ subject: 'kept' }]);
    await module.close();
    expect(existsSync(dir)).toBe(false);
  });

  it('EXT-51 may make an application of such a module', async () => {
    const module = await Test.createTestingModule({ imports: [RoostModule.forTest(), NotesModule] })
      .overrideProvider(Rates)
      .useValue(fixed)
      .compile();
    const { httpAdapter } = module.get(HttpAdapterHost);
    const app = module.createNestApplication<NestFastifyApplication>(httpAdapter, { bodyParser: false });
    await app.init();
    const inject = (url: string) => app.getHttpAdapter().getInstance().inject(url);
    expect((await inject('/api/rates')).json()).toEqual({ rate: 1.25 });
    expect((await inject('/api/settings')).statusCode).toBe(401);
    await app.close();
  });
});

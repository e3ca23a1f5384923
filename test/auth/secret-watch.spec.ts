import { Controller, Get, Logger, Module } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { RecordsModule } from '../../src/records/records.module.js';
import { RecordsService } from '../../src/records/records.service.js';
import { startRoost } from '../support/roost.js';

/** What a careless module might say. */
@Controller('careless')
class CarelessController {
  private readonly logger = new Logger('Careless');

  constructor(private readonly records: RecordsService) {}

  @Get('key')
  key() {
    return this.tokenKey();
  }

  @Get('hash')
  hash() {
    // The record itself would not show it.
    return { value: `$2b$10$${'a'.repeat(53)}` };
  }

  @Get('log')
  async log() {
    this.logger.warn(`Somebody came: ${(await this.tokenKey()).value as string}`);
    return {};
  }

  private async tokenKey(): Promise<{ value: unknown }> {
    return { value: (await this.records.findFirst('users', "email = 'a@example.com'"))!.get('tokenKey') };
  }
}

@Module({ imports: [RecordsModule], controllers: [CarelessController] })
class CarelessModule {}

describe('the watch over the secrets of the suite', () => {
  it.each([
    ['key', 'GET /careless/key'],
    ['hash', 'GET /careless/hash'],
    ['log', 'the log'],
  ])('AUTH-504 notices a secret in an answer or in the log: %s', async (path, where) => {
    const roost = await startRoost({ imports: [CarelessModule] });
    const password = 'correct horse';
    await roost.app
      .get(RecordsService, { strict: false })
      .create('users', { email: 'a@example.com', password, passwordConfirm: password });
    expect((await roost.inject({ url: `/careless/${path}` })).status).toBe(200);
    await expect(roost.close()).rejects.toThrow(`A secret was told by ${where}`);
  });
});

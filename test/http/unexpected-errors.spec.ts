import { Controller, Get, Logger, Module, ServiceUnavailableException } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

@Controller('faults')
class FaultsController {
  @Get('error')
  error(): never {
    throw new Error('the cause');
  }

  @Get('text')
  text(): never {
    throw 'a text';
  }

  @Get('busy')
  busy(): never {
    throw new ServiceUnavailableException('Come back later.');
  }
}

@Module({ controllers: [FaultsController] })
class FaultsModule {}

let roost: TestRoost;
const told = vi.spyOn(Logger.prototype, 'error');

beforeEach(() => void told.mockReset());
afterEach(() => roost.close());

describe('what fails unexpectedly', () => {
  it('OPS-37 says nothing to the client, and cause and stack to the operator', async () => {
    roost = await startRoost({ imports: [FaultsModule] });
    const answer = await roost.inject({ url: '/faults/error?token=hidden' });
    expect(answer).toMatchObject({ status: 500, body: { code: 500, data: {} } });
    expect(answer.text).not.toContain('cause');
    const stack = expect.stringMatching(/the cause\n\s+at .*error/);
    expect(told.mock.calls).toEqual([['GET /faults/error: the cause', stack]]);
    told.mockReset();
    expect((await roost.inject({ url: '/faults/text' })).status).toBe(500);
    expect(told.mock.calls).toEqual([['GET /faults/text: a text', undefined]]);
  });

  it('OPS-37 is said with --dev', async () => {
    roost = await startRoost({ imports: [FaultsModule], config: { ROOST_DEV: true } });
    expect((await roost.inject({ url: '/faults/error' })).body).toMatchObject({ code: 500, message: 'the cause' });
  });

  it('OPS-37 is not what was said on purpose', async () => {
    roost = await startRoost({ imports: [FaultsModule] });
    expect((await roost.inject({ url: '/faults/busy' })).body).toMatchObject({
      code: 503,
      message: 'Come back later.',
    });
    expect((await roost.inject({ url: '/faults/nothing' })).status).toBe(404);
    expect(told).not.toHaveBeenCalled();
  });
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Controller, Get, Injectable, Module, Scope, type Type } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Command, CommandRunner } from 'nest-commander';
import {
  BeforeRecordCreate,
  CLOCK,
  type FieldType,
  FieldTypesModule,
  MAIL_TRANSPORT,
  OnEvent,
  RecordChanged,
  type RecordCreateEvent,
  RecordsService,
  type SqlValue,
} from 'roost';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestRoost, TestRoostOptions } from 'roost/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

const run = promisify(execFile);
const ROOST = new URL('../../dist/index.js', import.meta.url).href;

const NOTES = { name: 'notes', type: 'base', fields: [{ name: 'text', type: 'text' }] };

let roost: TestRoost | undefined;

const start = async (options: TestRoostOptions): Promise<TestRoost> => (roost = await startRoost(options));
const withProvider = (...providers: Type[]): TestRoostOptions => {
  @Module({ providers })
  class OneModule {}
  return { imports: [OneModule] };
};
const withController = (...controllers: Type[]): TestRoostOptions => {
  @Module({ controllers })
  class OneModule {}
  return { imports: [OneModule] };
};

async function warnings(): Promise<string[]> {
  const token = await roost!.createSuperuser();
  const { body } = await roost!.inject({ url: '/api/logs?perPage=200&filter=level%3D4', token });
  return (body.items as { message: string }[]).map(({ message }) => message);
}

afterEach(async () => {
  await roost?.close();
  roost = undefined;
});

@Injectable({ scope: Scope.REQUEST })
class RequestHooks {
  @BeforeRecordCreate()
  act(): void {}
}

@Injectable({ scope: Scope.REQUEST })
class PerRequest {}

@Injectable()
class DependentCrons {
  constructor(readonly perRequest: PerRequest) {}

  @Cron('* * * * *')
  tick(): void {}
}

@Injectable({ scope: Scope.TRANSIENT })
class TransientHandlers {
  @OnEvent(RecordChanged)
  hear(): void {}
}

@Injectable()
class CountingHooks {
  @BeforeRecordCreate('notes')
  add({ record }: RecordCreateEvent): void {
    record.set('text', `${String(record.get('text'))}+`);
  }

  @BeforeRecordCreate('Notes', 'noets')
  never(): void {}
}

@Module({ providers: [CountingHooks] })
class FirstModule {}

@Module({ providers: [CountingHooks] })
class SecondModule {}

class TintField implements FieldType<string> {
  readonly type = 'tint';
  readonly options = {};
  column = () => 'text' as const;
  operandKind = () => 'T' as const;
  isMultiple = () => false;
  checkOptions = () => ({});
  normalize = (raw: unknown) => String(raw ?? '');
  isZero = (value: string) => value === '';
  validate = () => undefined;
  toColumn = (value: string): SqlValue => value;
  fromColumn = (stored: SqlValue) => String(stored);
}

@Controller('api/collections/:name')
class SameShapeController {
  @Get('records')
  rival(): void {}
}

@Injectable()
class BrokenSchedule {
  @Cron('61 * * * *')
  tick(): void {}
}

@Controller('plain')
class PlainController {
  @Get()
  plain(): void {}
}

@Command({ name: 'superuser' })
class RivalCommand extends CommandRunner {
  async run(): Promise<void> {}
}

@Command({ name: 'tidy', aliases: ['serve'] })
class AliasCommand extends CommandRunner {
  async run(): Promise<void> {}
}

describe('what would be ignored is told at the start', () => {
  it.each([
    ['a hook', [RequestHooks], 'RequestHooks.act can never run'],
    ['a scheduled job', [PerRequest, DependentCrons], 'DependentCrons.tick can never run'],
    ['an event handler', [TransientHandlers], 'TransientHandlers.hear can never run'],
  ] as [string, Type[], string][])(
    'EXT-38 %s without one instance refuses the start',
    async (_what, providers, text) => {
      await expect(start(withProvider(...providers))).rejects.toThrow(text);
    },
  );

  it.each([
    ['another token', [{ provide: CLOCK, useValue: {} }], 'CLOCK, which is no part that can be replaced'],
    ['a name', [{ provide: 'MAIL_TRANSPORT', useValue: {} }], 'MAIL_TRANSPORT, which is no part'],
    [
      'one twice',
      [1, 2].map(() => ({ provide: MAIL_TRANSPORT, useValue: { send: () => Promise.resolve() } })),
      'MAIL_TRANSPORT twice',
    ],
  ] as [string, TestRoostOptions['replace'], string][])(
    'EXT-38 replacing %s refuses the start',
    async (_what, replace, text) => {
      await expect(start({ replace })).rejects.toThrow(text);
    },
  );

  it('EXT-38 EXT-6 a job whose schedule means nothing refuses the start by its name', async () => {
    await expect(start(withProvider(BrokenSchedule))).rejects.toThrow('The schedule of the job BrokenSchedule.tick');
  });

  // In a process of its own: another application, before or beside it, would have named its parts already.
  it('EXT-40 EXT-38 all parts are known before there is an application', async () => {
    const script = `
      const { createRoost } = await import(${JSON.stringify(ROOST)});
      const refused = createRoost({ replace: [{ provide: 'another', useValue: {} }] });
      await refused.catch(({ message }) => process.stdout.write(message));
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
    expect(stdout).toBe(
      '"replace" names another, which is no part that can be replaced. ' +
        'Those are EPHEMERAL_STORE, EVENT_BUS, FILE_STORAGE, MAIL_TRANSPORT, RATE_LIMIT_STORE.',
    );
  });

  it('EXT-38 hooks of a provider in two modules run once, and those for no collection are told of by name', async () => {
    await start({ imports: [FirstModule, SecondModule] });
    await roost!.createCollections(NOTES);
    const record = await roost!.app.get(RecordsService, { strict: false }).create('notes', { text: 'a' });
    expect(record.get('text')).toBe('a+');
    const told = await warnings();
    for (const name of ['Notes', 'noets']) {
      expect(told).toContain(
        `CountingHooks.never is a BeforeRecordCreate for "${name}", and there is no collection of this name or id.`,
      );
    }
  });

  it('EXT-38 a field whose type no module registers refuses the start and names both', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'roost-types-'));
    try {
      await start({ dir, imports: [FieldTypesModule.register(TintField)] });
      await roost!.createCollections({ ...NOTES, fields: [{ name: 'colour', type: 'tint' }] });
      await roost!.close();
      await expect(start({ dir })).rejects.toThrow(
        'The field "colour" of the collection "notes" is of the type "tint", which no module registers.',
      );
      await start({ dir, imports: [FieldTypesModule.register(TintField)] });
    } finally {
      await roost?.close();
      roost = undefined;
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('EXT-4 EXT-38 a route of the same shape names both, one registered with Fastify too', async () => {
    const sameShape = await start(withController(SameShapeController)).catch(String);
    expect(sameShape).toContain('SameShapeController#rival');
    expect(sameShape).toContain('RecordsController#list');
    const plain = await start({
      ...withController(PlainController),
      configureApp: (app) =>
        void app
          .getHttpAdapter()
          .getInstance()
          .get('/plain', async () => 'plain'),
    }).catch(String);
    expect(plain).toContain('PlainController#plain and of a route registered with Fastify');
  });

  it('EXT-5 EXT-38 commands that answer to one name name both classes', async () => {
    const rival = await start(withProvider(RivalCommand)).catch(String);
    expect(rival).toContain('"superuser" is both');
    expect(rival).toContain('RivalCommand');
    expect(rival).toContain('SuperuserCommand');
    const alias = await start(withProvider(AliasCommand)).catch(String);
    expect(alias).toContain('"serve" is both');
  });
});

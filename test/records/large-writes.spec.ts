import { Injectable, Module } from '@nestjs/common';
import {
  AfterRecordCreate,
  AfterRecordUpdate,
  type FieldDefinition,
  type FieldType,
  FieldTypesModule,
  type SqlValue,
} from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';

type Step = 'cast' | 'row' | 'check' | 'stored' | 'shown';

/** Rounds of the event loop that others have had. */
let turn = 0;
/** What was done of a write, in order, and in which round. */
let steps: { readonly step: Step; readonly turn: number }[] = [];

const note = (step: Step) => void steps.push({ step, turn });
const turnsOf = (step: Step) => steps.filter((done) => done.step === step).map((done) => done.turn);

/** Takes as long as a value of some megabytes: longer than work may take without a break. */
function workHard(): void {
  const start = performance.now();
  while (performance.now() - start < 6);
}

/** A text that is slow to cast and to check. */
class HeavyField implements FieldType<string> {
  readonly type = 'heavy';
  readonly options = {};
  column = () => 'text' as const;
  operandKind = () => 'T' as const;
  isMultiple = () => false;
  checkOptions = () => ({});
  isZero = (value: string) => value === '';
  fromColumn = (stored: SqlValue) => String(stored ?? '');
  normalize(raw: unknown): string {
    if (raw === undefined) return '';
    note('cast');
    workHard();
    return String(raw);
  }
  validate(_value: string, _field: FieldDefinition): undefined {
    note('check');
    workHard();
  }
  toColumn(value: string): SqlValue {
    note('row');
    return value;
  }
  toJson(value: string): unknown {
    note('shown');
    return value;
  }
}

@Injectable()
class Watch {
  @AfterRecordCreate('reports')
  @AfterRecordUpdate('reports')
  stored(): void {
    note('stored');
  }
}

@Module({ imports: [FieldTypesModule.register(HeavyField)], providers: [Watch] })
class Team {}

const NAMES = ['a', 'b', 'c', 'd'];
const HEAVY = Object.fromEntries(NAMES.map((name) => [name, name]));
const ID = 'r00000000000001';

describe('a write with much to do lets others in', () => {
  let roost: TestRoost;
  let root: RecordApi;
  let guest: RecordApi;
  let token: string;
  let counting: NodeJS.Immediate;

  beforeAll(async () => {
    roost = await startRoost({ imports: [Team] });
    token = await roost.createSuperuser();
    root = new RecordApi(roost, token);
    guest = root.as(undefined);
    await roost.createCollections({
      name: 'reports',
      type: 'base',
      createRule: 'a != "refused"',
      updateRule: 'a != "refused"',
      fields: [...NAMES.map((name) => ({ name, type: 'heavy' })), { name: 'text', type: 'text', max: 1_000_000 }],
    });
  });
  beforeEach(() => {
    steps = [];
    const count = () => {
      turn++;
      counting = setImmediate(count);
    };
    count();
  });
  afterEach(() => clearImmediate(counting));
  afterAll(() => roost.close());

  const distinct = (turns: readonly number[]) => new Set(turns).size;

  it('OPS-39 between its values, as they are laid over the record and as they are checked', async () => {
    expect((await guest.create('reports', { ...HEAVY, id: ID })).status).toBe(200);
    expect([turnsOf('cast').length, distinct(turnsOf('cast'))]).toEqual([NAMES.length, NAMES.length]);
    expect([turnsOf('check').length, distinct(turnsOf('check'))]).toEqual([NAMES.length, NAMES.length]);
  });

  it('OPS-39 between its rule and what follows', async () => {
    expect((await guest.create('reports', HEAVY)).status).toBe(200);
    const [first] = turnsOf('check');
    const ruled = turnsOf('row').filter((_, index) => index < NAMES.length);
    expect(Math.max(...ruled)).toBeLessThan(first!);
  });

  it.each(['POST', 'PATCH', 'PUT'] as const)(
    'OPS-39 between what a large body has stored and its answer: %s',
    async (method) => {
      await root.upsert('reports', { id: ID });
      steps = [];
      const body = { ...HEAVY, text: 'x'.repeat(300_000), ...(method === 'PUT' && { id: ID }) };
      const url = `/api/collections/reports/records${method === 'PATCH' ? `/${ID}` : ''}`;
      expect((await roost.inject({ method, url, body, token })).status).toBe(200);
      const [stored] = turnsOf('stored');
      const [shown] = turnsOf('shown');
      expect(stored).toBeLessThan(shown!);
    },
  );

  it('OPS-39 UI-74 between its values, where a rule is tried on it', async () => {
    const body = { kind: 'create', rule: 'a = "a"', ids: [], body: HEAVY };
    const answer = await roost.inject({ url: '/api/collections/reports/test-rule', body, token });
    expect([answer.status, answer.body.records]).toMatchObject([200, [{ passes: true }]]);
    expect([turnsOf('cast').length, distinct(turnsOf('cast'))]).toEqual([NAMES.length, NAMES.length]);
  });
});

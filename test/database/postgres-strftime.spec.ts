import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { STRFTIME } from '../../src/database/postgres/postgres-strftime.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { Sqlite } from '../support/sqlite.js';

const two = (max: number, min = 0) => fc.integer({ min, max }).map((each) => String(each).padStart(2, '0'));
const joined = (...parts: readonly fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''));
const one = (...texts: readonly string[]) => fc.constantFrom(...texts);

const day = joined(
  fc.integer({ min: 1, max: 9999 }).map((year) => String(year).padStart(4, '0')),
  one('-'),
  two(13),
  one('-'),
  two(32),
);
const zone = fc.oneof(
  { weight: 4, arbitrary: one('', 'Z', 'z', ' Z') },
  joined(one('+', '-', ' +'), two(15), one(':'), two(60)),
);
const seconds = fc.oneof(
  one(''),
  joined(one(':'), two(60), fc.oneof(one(''), joined(one('.'), fc.integer({ min: 0, max: 99_999 }).map(String)))),
);
const hour = fc.oneof({ weight: 20, arbitrary: two(23) }, one('25', '99'));
const clock = joined(hour, one(':'), two(60), seconds, zone);
const number = fc.oneof(
  fc.integer({ min: -3_000_000_000, max: 300_000_000_000 }).map(String),
  fc.double({ min: 0, max: 5_373_485, noNaN: true }).map((each) => each.toFixed(5)),
  one('0', '-1', '1e3', '.5', '2460000.5'),
);
const time = fc.oneof(
  { weight: 6, arbitrary: day },
  { weight: 8, arbitrary: joined(day, one(' ', 'T', '  '), clock) },
  clock,
  number,
  one('', 'tomorrow', '2026-1-1', '2026-01-01x', '2026-01-01 1:00', '26-01-01', ' 2026-01-01'),
);

const amount = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }).map((each) => (each >= 0 ? `+${each}` : String(each))),
  fc.integer({ min: 0, max: 90 }).map(String),
  fc.integer({ min: -800, max: 800 }).map((quarters) => (quarters / 4).toFixed(2)),
);
const unit = one(
  'second',
  'seconds',
  'minute',
  'minutes',
  'hours',
  'day',
  'days',
  'month',
  'months',
  'year',
  'years',
  'DAYS',
);
const modifier = fc.oneof(
  { weight: 6, arbitrary: joined(amount, one(' ', '  '), unit) },
  { weight: 2, arbitrary: one('start of day', 'start of month', 'start of year', 'Start Of Day') },
  joined(one('weekday '), one('0', '1', '2', '3', '4', '5', '6', '7')),
  joined(one('+', '-', ''), two(23), one(':'), two(59), fc.oneof(one(''), joined(one(':'), two(59)))),
  { weight: 2, arbitrary: one('unixepoch', 'auto', 'julianday', 'utc') },
  one('nonsense', '', '1 fortnight', 'start of week', 'weekday'),
);
/** Every substitution. */
const letter = one(...[...'deFfGgHIjJklmMpPRsSTuUVwWY%'].map((each) => `%${each}`));
const format = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(fc.oneof({ weight: 5, arbitrary: letter }, one('-', ' ', 'T', 'ä', ':')), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.join('')),
  },
  one('', '%', '%q', 'x%', '%Y-%m-%d %H:%M:%f'),
);

describe.skipIf(PostgresCluster.programs === undefined)('FN-2 strftime on PostgreSQL', () => {
  const sqlite = new Sqlite(':memory:');
  let cluster: PostgresCluster;
  let client: pg.Client;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    client = new pg.Client({ connectionString: await cluster.newDatabase() });
    await client.connect();
    for (const sql of STRFTIME) await client.query(sql);
  });
  afterAll(async () => {
    await client.end();
    await cluster.stop();
    sqlite.close();
  });

  /** Years before the first have no name that both know. */
  function isBeforeOurTime([, ...at]: readonly string[]): boolean {
    const marks = at.map(() => '?').join(', ');
    const { year } = sqlite.prepare(`SELECT strftime('%Y', ${marks}) AS year`).get(...at) as { year: string | null };
    return year !== null && (year.startsWith('-') || year === '0000');
  }

  it('SCALE-12 gives what SQLite gives, for times, modifiers and formats of every kind', async () => {
    const arguments_ = fc.tuple(format, time, fc.array(modifier, { maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(fc.array(arguments_, { minLength: 100, maxLength: 100 }), async (calls) => {
        const values = calls.map(([text, at, modifiers]) => [text, at, ...modifiers]);
        const expected = values.map((each) => {
          const marks = each.map(() => '?').join(', ');
          return (sqlite.prepare(`SELECT strftime(${marks}) AS result`).get(...each) as { result: string | null })
            .result;
        });
        const { rows } = await client.query<{ result: string | null }>(
          `SELECT roost_strftime(c ->> 0, c ->> 1, VARIADIC ARRAY(SELECT jsonb_array_elements_text(c - 1 - 0))) AS result
            FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS e (c, place) ORDER BY place`,
          [JSON.stringify(values)],
        );
        const differing = values
          .map((given, at) => ({ given, sqlite: expected[at], postgres: rows[at]!.result }))
          .filter((each) => each.sqlite !== each.postgres && !isBeforeOurTime(each.given));
        expect(differing).toEqual([]);
      }),
      { numRuns: 200, endOnFailure: true },
    );
  });
});

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { STRFTIME } from '../../src/database/postgres/postgres-strftime.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { Sqlite } from '../support/sqlite.js';

const two = (max: number, min = 0) => fc.integer({ min, max }).map((each) => String(each).padStart(2, '0'));
const joined = (...parts: readonly fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''));
const one = (...texts: readonly string[]) => fc.constantFrom(...texts);

/**
 * Days that there are, from 1900 to 2199: what is made of the 30th of February, or of a year that has five digits on
 * the way, is an accident of each database.
 */
const realDay = fc
  .integer({ min: -25_567, max: 84_006 })
  .map((days) => new Date(days * 86_400_000).toISOString().slice(0, 10));
const noDay = joined(one('2026-', '0000-'), one('00', '13', '12'), one('-00', '-32', '-99'));
const day = fc.oneof({ weight: 20, arbitrary: realDay }, noDay);
const zone = fc.oneof(
  { weight: 4, arbitrary: one('', 'Z', 'z', ' Z') },
  joined(one('+', '-', ' +'), two(15), one(':'), two(60)),
);
/** Whether half a millisecond is rounded up depends on how a database multiplies. */
const fraction = fc
  .integer({ min: 0, max: 99_999 })
  .map(String)
  .filter((digits) => !/^\d{3}50?$/.test(digits));
const seconds = fc.oneof(one(''), joined(one(':'), two(60), fc.oneof(one(''), joined(one('.'), fraction))));
const hour = fc.oneof({ weight: 20, arbitrary: two(23) }, one('25', '99'));
const clock = joined(hour, one(':'), two(60), seconds, zone);
/** As an hour of the first day of 2000. */
const clockAlone = joined(hour, one(':'), two(60), seconds);
const julianDay = fc.double({ min: 2_400_000, max: 2_500_000, noNaN: true }).map((each) => each.toFixed(5));
const unixTime = fc.oneof(
  fc.integer({ min: -2_000_000_000, max: 7_000_000_000 }).map(String),
  one('0', '-1', '5e8', '.5'),
);
const time = fc.oneof(
  { weight: 6, arbitrary: day },
  { weight: 8, arbitrary: joined(day, one(' ', 'T', '  '), clock) },
  clockAlone,
  julianDay,
  one('', 'tomorrow', '2026-1-1', '2026-01-01x', '2026-01-01 1:00', '26-01-01', ' 2026-01-01'),
);

const amount = fc.oneof(
  fc.integer({ min: -500, max: 500 }).map((each) => (each >= 0 ? `+${each}` : String(each))),
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
  { weight: 2, arbitrary: one('auto', 'julianday', 'utc') },
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

  it('SCALE-12 gives what SQLite gives, for times, modifiers and formats of every kind', async () => {
    const ofDays = fc.tuple(format, time, fc.array(modifier, { maxLength: 3 }));
    const ofSeconds = fc.tuple(
      format,
      unixTime,
      fc.array(modifier, { maxLength: 2 }).map((rest) => ['unixepoch', ...rest]),
    );
    const arguments_ = fc.oneof({ weight: 4, arbitrary: ofDays }, ofSeconds);
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
          .filter((each) => each.sqlite !== each.postgres);
        expect(differing).toEqual([]);
      }),
      { numRuns: 200, endOnFailure: true },
    );
  });
});

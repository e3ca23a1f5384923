import { STRFTIME } from './postgres-strftime.js';
import { VIEW_FUNCTIONS } from './postgres-view-functions.js';

/**
 * Functions that stand for what PostgreSQL has no expression for (see PostgresCompiler). They are created in the schema
 * of the application's tables, anew before each migration.
 *
 * - `roost_json_text(jsonb)`: a value as text, as a filter's `~` and `:lower` see it. Arrays and objects are compact
 *   JSON, truth is 1 and 0, a text is itself.
 * - `roost_json(jsonb)`: the scalar by which a value is compared: a number, or a text, or NULL.
 * - `roost_json_order(jsonb)`: a text whose bytes have the order of these scalars: numbers by size, then texts.
 */
export const POSTGRES_FUNCTIONS: readonly string[] = [
  // Takes out the blanks that stand between values, however deep those are; going down level by level needs a stack.
  `CREATE OR REPLACE FUNCTION roost_json_compact(v jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(v::text, '("(?:[^"\\\\]|\\\\.)*")| ', '\\1', 'g') $$`,
  `CREATE OR REPLACE FUNCTION roost_json_text(v jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v)
      WHEN 'null' THEN NULL
      WHEN 'boolean' THEN CASE WHEN v = 'true'::jsonb THEN '1' ELSE '0' END
      WHEN 'string' THEN v #>> '{}'
      WHEN 'number' THEN v::text
      ELSE roost_json_compact(v)
    END $$`,
  `CREATE OR REPLACE FUNCTION roost_json(v jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(v)
      WHEN 'null' THEN NULL
      WHEN 'boolean' THEN CASE WHEN v = 'true'::jsonb THEN '1'::jsonb ELSE '0'::jsonb END
      WHEN 'string' THEN v
      WHEN 'number' THEN v
      ELSE to_jsonb(roost_json_compact(v))
    END $$`,
  // Columns of views that may hold anything.
  ...['roost_json_text(v anyelement) RETURNS text', 'roost_json(v anyelement) RETURNS jsonb'].map(
    (head) =>
      `CREATE OR REPLACE FUNCTION ${head} LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT ${head.split('(')[0]}(to_jsonb(v))'`,
  ),
  // A float's bits have the order of its size, once the sign is turned round.
  `CREATE OR REPLACE FUNCTION roost_json_order(v jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
    DECLARE
      scalar jsonb := roost_json(v);
      bits bigint;
    BEGIN
      IF jsonb_typeof(scalar) = 'number' THEN
        bits := ('x' || encode(float8send((scalar #>> '{}')::float8 + 0), 'hex'))::bit(64)::bigint;
        RETURN '1' || lpad(to_hex(CASE WHEN bits < 0 THEN ~bits ELSE bits # (-9223372036854775808)::bigint END), 16, '0');
      END IF;
      RETURN '2' || (scalar #>> '{}');
    END $$`,
  `CREATE OR REPLACE FUNCTION roost_json_order(v anyelement) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'SELECT roost_json_order(to_jsonb(v))'`,
];

/** The number of the advisory lock for migrations; any number that nobody else uses. */
const MIGRATING = 5_266_120_913;

/**
 * What comes before migrations, in their transaction: one instance at a time, and functions as this version has them.
 */
export const POSTGRES_PREPARATION: readonly string[] = [
  `SELECT pg_advisory_xact_lock(${MIGRATING})`,
  ...POSTGRES_FUNCTIONS,
  ...STRFTIME,
  ...VIEW_FUNCTIONS,
];

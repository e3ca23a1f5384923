/**
 * Functions that queries of views use on SQLite, so that most of them are the same on PostgreSQL. JSON items come as
 * texts, which is what filters compare them as.
 */
export const VIEW_FUNCTIONS: readonly string[] = [
  `CREATE OR REPLACE FUNCTION ifnull(a anycompatible, b anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'SELECT COALESCE(a, b)'`,
  `CREATE OR REPLACE FUNCTION iif(condition boolean, a anycompatible, b anycompatible) RETURNS anycompatible LANGUAGE sql IMMUTABLE
    PARALLEL SAFE AS 'SELECT CASE WHEN condition THEN a ELSE b END'`,
  `CREATE OR REPLACE FUNCTION json_extract(document jsonb, path text) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT jsonb_path_query_first(document, ('strict ' || path)::jsonpath, '{}', TRUE) $$`,
  `CREATE OR REPLACE FUNCTION json_array_length(document jsonb) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE jsonb_typeof(document) WHEN 'array' THEN jsonb_array_length(document) ELSE 0 END $$`,
  `CREATE OR REPLACE FUNCTION json_each(document jsonb) RETURNS TABLE (key text, value text, type text) LANGUAGE sql IMMUTABLE
    PARALLEL SAFE AS $$
      SELECT (e.place - 1)::text, roost_json_text(e.item), jsonb_typeof(e.item)
        FROM jsonb_array_elements(CASE jsonb_typeof(document) WHEN 'array' THEN document ELSE '[]' END)
          WITH ORDINALITY AS e (item, place)
    $$`,
  `CREATE OR REPLACE FUNCTION strftime(format text, value text, VARIADIC modifiers text[] DEFAULT '{}') RETURNS text LANGUAGE sql
    STABLE PARALLEL SAFE AS 'SELECT roost_strftime(format, value, VARIADIC modifiers)'`,
  // Columns of views over views may be JSON, because nobody could tell what is in them.
  `CREATE OR REPLACE FUNCTION roost_plus(sum float8, item jsonb) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE jsonb_typeof(item) WHEN 'number' THEN COALESCE(sum, 0) + item::float8 ELSE sum END $$`,
  `CREATE OR REPLACE FUNCTION roost_plus(sum float8, item float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sum + COALESCE(item, 0) $$`,
  `CREATE OR REPLACE AGGREGATE sum(jsonb) (SFUNC = roost_plus, STYPE = float8)`,
  `CREATE OR REPLACE AGGREGATE total(jsonb) (SFUNC = roost_plus, STYPE = float8, INITCOND = '0')`,
  `CREATE OR REPLACE AGGREGATE total(float8) (SFUNC = roost_plus, STYPE = float8, INITCOND = '0')`,
  `CREATE OR REPLACE FUNCTION roost_concat(joined text, item text, separator text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN item IS NULL THEN joined WHEN joined IS NULL THEN item ELSE joined || separator || item END $$`,
  `CREATE OR REPLACE FUNCTION roost_concat(joined text, item text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT roost_concat(joined, item, ',') $$`,
  `CREATE OR REPLACE AGGREGATE group_concat(text) (SFUNC = roost_concat, STYPE = text)`,
  `CREATE OR REPLACE AGGREGATE group_concat(text, text) (SFUNC = roost_concat, STYPE = text)`,
];

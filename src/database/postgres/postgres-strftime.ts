/**
 * `roost_strftime(format, time, modifier…)` as SQLite has it (FN-2): its forms of a time, its modifiers, its
 * substitutions. What it does not know makes NULL. There is no zone but UTC.
 */
export const STRFTIME: readonly string[] = [
  // Days may lie past the end of their month, as after adding one to the 31st of January.
  `CREATE OR REPLACE FUNCTION roost_day(y int, m int, d int) RETURNS timestamp LANGUAGE sql IMMUTABLE AS $$
    SELECT make_date(y + floor((m - 1) / 12.0)::int, (m - 1) - 12 * floor((m - 1) / 12.0)::int + 1, 1)::timestamp
      + make_interval(days => d - 1)
    $$`,
  `CREATE OR REPLACE FUNCTION roost_time(value text, OUT at timestamp, OUT number float8) LANGUAGE plpgsql STABLE AS $$
    DECLARE
      part text[];
      clock text[];
      day timestamp := timestamp '2000-01-01';
    BEGIN
      IF lower(value) = 'now' THEN
        at := date_trunc('milliseconds', now() AT TIME ZONE 'UTC');
        RETURN;
      END IF;
      IF value ~ '^\\s*[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?\\s*$' THEN
        number := value::float8;
        IF number >= 1721425.5 AND number < 5373484.5 THEN
          at := timestamp '1970-01-01' + (round((number - 2440587.5) * 86400000) || ' milliseconds')::interval;
        END IF;
        RETURN;
      END IF;
      part := regexp_match(value, '^(\\d{4})-(\\d\\d)-(\\d\\d)(?:[ T]+(.*))?$');
      IF part IS NOT NULL THEN
        IF part[1] = '0000' OR part[2]::int NOT BETWEEN 1 AND 12 OR part[3]::int NOT BETWEEN 1 AND 31 THEN RETURN; END IF;
        day := roost_day(part[1]::int, part[2]::int, part[3]::int);
        IF COALESCE(part[4], '') = '' THEN
          at := day;
          RETURN;
        END IF;
        value := part[4];
      END IF;
      clock := regexp_match(value, '^(\\d\\d):(\\d\\d)(?::(\\d\\d(?:\\.\\d+)?))?\\s*(?:([Zz])|([+-])(\\d\\d):(\\d\\d))?\\s*$');
      IF clock IS NULL OR clock[1]::int > 24 OR clock[2]::int > 59 OR COALESCE(clock[3]::float8, 0) >= 60 THEN RETURN; END IF;
      IF COALESCE(clock[6]::int, 0) > 14 OR COALESCE(clock[7]::int, 0) > 59 THEN RETURN; END IF;
      at := day + make_interval(hours => clock[1]::int, mins => clock[2]::int)
        + (floor((trunc(COALESCE(clock[3]::numeric, 0))::float8 + LEAST(COALESCE(clock[3]::numeric % 1, 0)::float8, 0.999))
          * 1000 + 0.5) || ' milliseconds')::interval;
      IF clock[5] IS NOT NULL THEN
        at := at - (clock[5] || '1')::int * make_interval(hours => clock[6]::int, mins => clock[7]::int);
      END IF;
    END $$`,
  `CREATE OR REPLACE FUNCTION roost_modified(at timestamp, number float8, modifier text, place int) RETURNS timestamp
    LANGUAGE plpgsql IMMUTABLE AS $$
    DECLARE
      given text := lower(modifier);
      part text[];
      amount float8;
      whole int;
      rest interval;
      moved timestamp;
    BEGIN
      IF given IN ('unixepoch', 'auto', 'julianday') AND place > 1 THEN RETURN NULL; END IF;
      IF given = 'unixepoch' OR (given = 'auto' AND number IS NOT NULL) THEN
        IF number IS NULL OR number NOT BETWEEN -62135596800 AND 253402300799 THEN RETURN NULL; END IF;
        IF given = 'auto' AND number >= 0 AND number < 5373484.5 THEN RETURN at; END IF;
        RETURN timestamp '1970-01-01' + (round(number * 1000) || ' milliseconds')::interval;
      END IF;
      IF at IS NULL THEN RETURN NULL; END IF;
      IF given IN ('utc', 'localtime', 'auto', 'subsec', 'subsecond') OR (given = 'julianday' AND number IS NOT NULL) THEN RETURN at; END IF;
      IF given ~ '^start of (day|month|year)$' THEN RETURN date_trunc(substr(given, 10), at); END IF;
      part := regexp_match(given, '^weekday\\s+([0-6])(?:\\.0*)?$');
      IF part IS NOT NULL THEN
        RETURN at + make_interval(days => (part[1]::int - extract(dow FROM at)::int + 7) % 7);
      END IF;
      part := regexp_match(given, '^([+-]?(?:\\d+\\.?\\d*|\\.\\d+))\\s+(second|minute|hour|day|month|year)s?$');
      IF part IS NULL THEN
        part := regexp_match(given, '^([+-]?)(\\d\\d):(\\d\\d)(?::(\\d\\d(?:\\.\\d+)?))?$');
        IF part IS NULL THEN RETURN NULL; END IF;
        RETURN at + (CASE part[1] WHEN '-' THEN -1 ELSE 1 END)
          * (make_interval(hours => part[2]::int, mins => part[3]::int) + (COALESCE(part[4], '0') || ' seconds')::interval);
      END IF;
      amount := part[1]::float8;
      IF abs(amount) > 464269060800 THEN RETURN NULL; END IF;
      IF part[2] IN ('month', 'year') THEN
        IF abs(amount) > 178000 THEN RETURN NULL; END IF;
        whole := trunc(amount)::int;
        IF extract(year FROM at) + whole / (CASE part[2] WHEN 'month' THEN 12.0 ELSE 1 END) NOT BETWEEN 1 AND 9999 THEN RETURN NULL; END IF;
        rest := at - date_trunc('day', at);
        IF part[2] = 'month' THEN
          moved := roost_day(extract(year FROM at)::int, extract(month FROM at)::int + whole, extract(day FROM at)::int) + rest;
          amount := (amount - whole) * 30;
        ELSE
          moved := roost_day(extract(year FROM at)::int + whole, extract(month FROM at)::int, extract(day FROM at)::int) + rest;
          amount := (amount - whole) * 365;
        END IF;
        RETURN moved + (round(amount * 86400000) || ' milliseconds')::interval;
      END IF;
      -- Before the first year there is nothing to be found again.
      amount := amount * CASE part[2] WHEN 'second' THEN 1000 WHEN 'minute' THEN 60000 WHEN 'hour' THEN 3600000 ELSE 86400000 END;
      IF extract(epoch FROM at) * 1000 + amount NOT BETWEEN -62135596800000 AND 253402300799999 THEN RETURN NULL; END IF;
      RETURN at + (round(amount) || ' milliseconds')::interval;
    END $$`,
  `CREATE OR REPLACE FUNCTION roost_strftime(format text, value text, VARIADIC modifiers text[] DEFAULT '{}') RETURNS text
    LANGUAGE plpgsql STABLE AS $$
    DECLARE
      at timestamp;
      number float8;
      modifier text;
      place int := 0;
      result text := '';
      letter text;
      position int := 1;
      milliseconds bigint;
      days float8;
    BEGIN
      IF format IS NULL OR value IS NULL THEN RETURN NULL; END IF;
      SELECT t.at, t.number INTO at, number FROM roost_time(value) AS t;
      FOREACH modifier IN ARRAY modifiers LOOP
        place := place + 1;
        at := roost_modified(at, number, modifier, place);
      END LOOP;
      IF at IS NULL OR at < timestamp '0001-01-01' OR at >= timestamp '10000-01-01' THEN RETURN NULL; END IF;
      milliseconds := round(extract(epoch FROM at) * 1000);
      WHILE position <= length(format) LOOP
        letter := substr(format, position, 1);
        position := position + 1;
        IF letter <> '%' THEN
          result := result || letter;
          CONTINUE;
        END IF;
        letter := substr(format, position, 1);
        position := position + 1;
        CASE letter
          WHEN 'd' THEN result := result || to_char(at, 'DD');
          WHEN 'e' THEN result := result || lpad(extract(day FROM at)::text, 2, ' ');
          WHEN 'f' THEN result := result || to_char(at, 'SS.MS');
          WHEN 'F' THEN result := result || to_char(at, 'YYYY-MM-DD');
          WHEN 'g' THEN result := result || to_char(at, 'IY');
          WHEN 'G' THEN result := result || to_char(at, 'IYYY');
          WHEN 'H' THEN result := result || to_char(at, 'HH24');
          WHEN 'I' THEN result := result || to_char(at, 'HH12');
          WHEN 'j' THEN result := result || to_char(at, 'DDD');
          WHEN 'J' THEN
            -- As many digits as SQLite shows, of the number as it is stored.
            days := ((milliseconds + 210866760000000) / 86400000.0)::float8;
            result := result || trim_scale(floor(days)::numeric + round((days - floor(days))::numeric, 9))::text;
          WHEN 'k' THEN result := result || lpad(extract(hour FROM at)::text, 2, ' ');
          WHEN 'l' THEN result := result || lpad(to_char(at, 'FMHH12'), 2, ' ');
          WHEN 'm' THEN result := result || to_char(at, 'MM');
          WHEN 'M' THEN result := result || to_char(at, 'MI');
          WHEN 'p' THEN result := result || to_char(at, 'AM');
          WHEN 'P' THEN result := result || to_char(at, 'am');
          WHEN 'R' THEN result := result || to_char(at, 'HH24:MI');
          WHEN 's' THEN result := result || floor(milliseconds / 1000.0)::bigint::text;
          WHEN 'S' THEN result := result || to_char(at, 'SS');
          WHEN 'T' THEN result := result || to_char(at, 'HH24:MI:SS');
          WHEN 'u' THEN result := result || extract(isodow FROM at)::text;
          WHEN 'U' THEN result := result || lpad(((extract(doy FROM at)::int + 6 - extract(dow FROM at)::int) / 7)::text, 2, '0');
          WHEN 'V' THEN result := result || to_char(at, 'IW');
          WHEN 'w' THEN result := result || extract(dow FROM at)::text;
          WHEN 'W' THEN result := result || lpad(((extract(doy FROM at)::int + 6 - (extract(isodow FROM at)::int - 1)) / 7)::text, 2, '0');
          WHEN 'Y' THEN result := result || to_char(at, 'YYYY');
          WHEN '%' THEN result := result || '%';
          ELSE RETURN NULL;
        END CASE;
      END LOOP;
      RETURN result;
    END $$`,
];

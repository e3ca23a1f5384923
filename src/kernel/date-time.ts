/** A moment in the product's format `YYYY-MM-DD HH:mm:ss.SSSZ` (CONV-3): UTC, so that text order is time order. */
export function formatDateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ');
}

/** A moment as the console shows it, `2024/05/01 10:00:00` (OPS-191), in UTC. */
export function formatConsoleTime(milliseconds: number): string {
  return formatDateTime(milliseconds).slice(0, 19).replaceAll('-', '/');
}

/** Longest text that is parsed; real dates have fewer digits. */
const LONGEST_DATE = 100;

/**
 * The moment a text names, in milliseconds since the epoch, cut to whole ones; undefined when it names none. Accepts
 * the forms of COL-68: ISO 8601 dates and date-times, RFC 1123, 822 and 850, and ANSI C. Without a zone it is UTC.
 */
export function parseDateTime(text: string): number | undefined {
  if (text.length > LONGEST_DATE) return undefined;
  return parseIsoDateTime(text) ?? parseMailDateTime(text) ?? parseAnsiDateTime(text);
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?:(:\d\d)(?:[.,](\d+))?)?(?: ?(Z|[+-]\d\d:?\d\d))?)?$/i;

/** The moment of a `YYYY-MM-DD`, or of such a date with a time after `T` or a blank; undefined for other texts. */
export function parseIsoDateTime(text: string): number | undefined {
  if (text.length > LONGEST_DATE) return undefined;
  const match = ISO.exec(text);
  if (!match) return undefined;
  const [, date, time = '00:00', seconds = ':00', fraction = '', zone = 'Z'] = match;
  return momentOf({ date: date!, time: time + seconds, milliseconds: fraction.slice(0, 3).padEnd(3, '0'), zone });
}

// `Mon, 02 Jan 2006 15:04:05 GMT`, `02 Jan 06 15:04 -0700`, `Monday, 02-Jan-06 15:04:05 MST`
const MAIL =
  /^(?:[a-z]{3,9}, ?)?(\d{1,2})[ -]([a-z]{3})[ -](\d{4}|\d\d) (\d\d:\d\d)(:\d\d)? (Z|UTC?|GMT|[ECMP][SD]T|[+-]\d\d:?\d\d)$/i;

function parseMailDateTime(text: string): number | undefined {
  const match = MAIL.exec(text);
  if (!match) return undefined;
  const [, day, month, year, time, seconds = ':00', zone] = match;
  return momentOf({ date: dateOf(year!, month!, day!), time: time! + seconds, milliseconds: '000', zone: zone! });
}

// `Mon Jan  2 15:04:05 2006`
const ANSI = /^[a-z]{3} ([a-z]{3}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})$/i;

function parseAnsiDateTime(text: string): number | undefined {
  const match = ANSI.exec(text);
  if (!match) return undefined;
  const [, month, day, time, year] = match;
  return momentOf({ date: dateOf(year!, month!, day!), time: time!, milliseconds: '000', zone: 'Z' });
}

/** The moment so many seconds after the epoch, which may have a fraction; undefined when it has no four-digit year. */
export function momentOfSeconds(seconds: number): number | undefined {
  return momentInRange(seconds * 1000);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function dateOf(year: string, month: string, day: string): string {
  // Two digits mean 1969 to 2068, as everywhere since POSIX.
  const fullYear = year.length === 4 ? year : (Number(year) >= 69 ? '19' : '20') + year;
  const monthNumber = MONTHS.indexOf(month.toLowerCase()) + 1;
  return `${fullYear}-${String(monthNumber).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

const US_ZONE_HOURS: Readonly<Record<string, number>> = { E: -5, C: -6, M: -7, P: -8 };

/** Minutes east of UTC; undefined when there is no such zone. */
function zoneOffset(zone: string): number | undefined {
  const numeric = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (numeric) {
    const hours = Number(numeric[2]);
    const minutes = Number(numeric[3]);
    if (hours > 23 || minutes > 59) return undefined;
    return (numeric[1] === '-' ? -1 : 1) * (hours * 60 + minutes);
  }
  const name = zone.toUpperCase();
  const hours = name.length === 3 && name.endsWith('T') ? US_ZONE_HOURS[name[0]!] : undefined;
  return hours === undefined ? 0 : (hours + (name[1] === 'D' ? 1 : 0)) * 60;
}

const YEAR_0 = Date.parse('0000-01-01T00:00:00.000Z');
const YEAR_9999_END = Date.parse('9999-12-31T23:59:59.999Z');

function momentOf(parts: { date: string; time: string; milliseconds: string; zone: string }): number | undefined {
  const iso = `${parts.date}T${parts.time}.${parts.milliseconds}Z`;
  const local = Date.parse(iso);
  // JavaScript turns 30 February into 1 March, so only a date that prints back as it was read is valid.
  if (Number.isNaN(local) || new Date(local).toISOString() !== iso) return undefined;
  const offset = zoneOffset(parts.zone);
  if (offset === undefined) return undefined;
  return momentInRange(local - offset * 60_000);
}

/** Whole milliseconds since the epoch, when the product's format has a year for them. */
function momentInRange(milliseconds: number): number | undefined {
  const moment = Math.trunc(milliseconds);
  return moment >= YEAR_0 && moment <= YEAR_9999_END ? moment : undefined;
}

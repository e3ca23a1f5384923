import { createHash } from 'node:crypto';

/** Bytes. The server cuts off what is longer, without an error. */
const LONGEST = 63;

/** Columns that every table of PostgreSQL has. */
const OF_EVERY_TABLE = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'];

/** How something ends that stands for a name: names of collections and fields have no colon. */
const MARK = /:[0-9a-f]{8}$/;

/** What may be such a name in a message, and what may be a long name in a definition. */
const MARKED = /"[^"]{1,63}:[0-9a-f]{8}"|[^\s"'.,()]{1,63}:[0-9a-f]{8}\b/g;
const LONG = /\w{64,}|"[^"]{22,}"|`[^`]{22,}`|\[[^\]]{22,}\]/g;

const LONGEST_MESSAGE = 4_000;

/** What stands for the names that PostgreSQL cannot have, and the other way round. */
const stored = new Map<string, string>();
const shown = new Map<string, string>();

for (const name of OF_EVERY_TABLE) mark(name);

/**
 * What a name is in the database: the name itself, unless it is too long or that of a column which every table has.
 * Then it is its beginning with a checksum of all of it, the same in every process and every database (COL-172).
 */
export function storedName(name: string): string {
  const known = stored.get(name);
  if (known !== undefined) return known;
  return isTooLong(name) ? mark(name) : name;
}

export function isTooLong(name: string): boolean {
  return name.length * 3 > LONGEST && Buffer.byteLength(name) > LONGEST;
}

/** What everybody but the database calls something. */
export function shownName(name: string): string {
  return MARK.test(name) ? (shown.get(name) ?? name) : name;
}

/** A message of the database, with what everybody else calls things; one with so long a value in it stays as it is. */
export function withShownNames(message: string): string {
  if (message.length > LONGEST_MESSAGE) return message;
  return message.replace(MARKED, (found) => {
    return found.startsWith('"') ? `"${shownName(found.slice(1, -1))}"` : shownName(found);
  });
}

/** Learns the long names in these texts, so that what the database calls them is told as they are. */
export function learnNames(texts: Iterable<string>): void {
  for (const text of texts) {
    for (const [found] of text.matchAll(LONG)) storedName(/^\w/.test(found) ? found : found.slice(1, -1));
  }
}

function mark(name: string): string {
  const sum = `:${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
  let marked = '';
  for (const letter of name) {
    if (Buffer.byteLength(marked + letter + sum) > LONGEST) break;
    marked += letter;
  }
  marked += sum;
  stored.set(name, marked);
  shown.set(marked, name);
  return marked;
}

import type { Collection } from '../kernel/collections/collection.js';
import type { Advice, CollectionSize } from './insights.dto.js';

const DAY = 86_400_000;
/** With so many records a missing index is noticeable. */
const MANY_RECORDS = 10_000;
const OLD_BACKUP = 7 * DAY;
const LARGE_LOGS = 1024 ** 3;

/** The facts that advice is based on. */
export interface Findings {
  readonly collections: readonly Collection[];
  readonly sizes: readonly CollectionSize[];
  /** Milliseconds; null when there is no backup, undefined when it is unknown. */
  readonly lastBackup: number | null | undefined;
  readonly hasSchedule: boolean;
  readonly logs: { readonly maxDays: number; readonly bytes: number | null };
  readonly now: number;
}

const WRITES = [
  ['createRule', 'create'],
  ['updateRule', 'change'],
  ['deleteRule', 'delete'],
] as const;

/** Whether an index begins with this column. */
function hasIndexOn(collection: Collection, column: string): boolean {
  return collection.indexes.some((sql) => {
    const first = /\(\s*[`"[]?(\w+)/.exec(sql.slice(sql.toUpperCase().indexOf(' ON ')))?.[1];
    return first?.toLowerCase() === column.toLowerCase();
  });
}

function missingIndexes({ collections, sizes }: Findings): Advice[] {
  return collections.flatMap((collection) => {
    const records = sizes.find(({ id }) => id === collection.id)?.records ?? 0;
    if (records < MANY_RECORDS) return [];
    return collection.fields
      .filter((field) => field.type === 'relation' && !hasIndexOn(collection, field.name))
      .map((field): Advice => {
        const message = `${collection.name}.${field.name} has no index: what asks for it, and deletes of what it points to, read all ${records} records.`;
        return { kind: 'missingIndex', message, collection: collection.name };
      });
  });
}

function publicRules({ collections }: Findings): Advice[] {
  return collections.flatMap((collection) =>
    WRITES.filter(([rule]) => collection[rule] === '')
      // An open create rule of an auth collection is intended: people sign up.
      .filter(([rule]) => !(collection.type === 'auth' && rule === 'createRule'))
      .map(([, verb]): Advice => {
        const message = `Everyone can ${verb} records of ${collection.name}, without signing in.`;
        return { kind: 'publicRule', message, collection: collection.name };
      }),
  );
}

function backups({ lastBackup, hasSchedule, now }: Findings): Advice[] {
  const say = (message: string): Advice[] => [{ kind: 'backup', message, collection: '' }];
  if (lastBackup === undefined) return [];
  if (lastBackup === null) return say(`There is no backup${hasSchedule ? ' yet' : ', and none is scheduled'}.`);
  const days = Math.floor((now - lastBackup) / DAY);
  return now - lastBackup > OLD_BACKUP ? say(`The last backup is ${days} days old.`) : [];
}

function logs({ logs: { maxDays, bytes } }: Findings): Advice[] {
  const say = (message: string): Advice[] => [{ kind: 'logs', message, collection: '' }];
  if (maxDays === 0) return say('Nothing is logged: logs.maxDays is 0.');
  if (bytes === null || bytes < LARGE_LOGS) return [];
  return say(
    `The logs take ${(bytes / LARGE_LOGS).toFixed(1)} GiB. A smaller logs.maxDays than ${maxDays} makes them less.`,
  );
}

/** The advice that follows from these facts. */
export function adviceOn(findings: Findings): Advice[] {
  return [...publicRules(findings), ...missingIndexes(findings), ...backups(findings), ...logs(findings)];
}

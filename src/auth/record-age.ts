import type { Clock } from '../kernel/clock.js';
import { parseDateTime } from '../kernel/date-time.js';
import type { RecordModel } from '../kernel/records/record-model.js';

/** Milliseconds since a record was created. */
export function ageOf(record: RecordModel, clock: Clock): number {
  return clock.now() - (parseDateTime(record.get('created') as string) ?? 0);
}

import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '../../config/roost-config.js';
import type { Clock } from '../../kernel/clock.js';
import { formatDateTime } from '../../kernel/date-time.js';
import { SUPERUSERS_ID } from '../../kernel/records/caller.js';
import type { RecordModel } from '../../kernel/records/record-model.js';

/** The values a write decides itself: timestamps, generated texts (COL-62, COL-69), verified superusers (COL-155). */
@Injectable()
export class RecordAutoValues {
  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  complete(record: RecordModel): void {
    const moment = { isNew: record.isNew, now: this.now() };
    for (const field of record.collection.fields) {
      const type = record.collection.typeOf(field);
      if (type.complete) record.setValue(field.name, type.complete(record.get(field.name), field, moment));
    }
    if (record.collection.id === SUPERUSERS_ID && record.get('verified') !== true) record.set('verified', true);
  }

  /** Generates the id of a new record that has none. Gives that id; undefined when it had one. */
  completeId(record: RecordModel): string | undefined {
    if (record.id !== '') return undefined;
    const field = record.collection.field('id')!;
    const type = record.collection.typeOf(field);
    record.setValue('id', type.complete?.(record.get('id'), field, { isNew: true, now: this.now() }));
    return record.id;
  }

  private now(): string {
    return formatDateTime(this.clock.now());
  }
}

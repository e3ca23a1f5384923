import { InjectQueue, Processor, WorkerHost } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { AfterRecordCreate, BeforeServe, MailService, type RecordCreatedEvent, RecordsService } from 'roost';

interface Reminder {
  readonly appointment: string;
}

/** Puts a reminder into the queue for every appointment. */
@Injectable()
export class ReminderHooks {
  constructor(@InjectQueue('reminders') private readonly queue: Queue<Reminder>) {}

  @AfterRecordCreate('appointments')
  async remember({ record }: RecordCreatedEvent): Promise<void> {
    await this.queue.add('booked', { appointment: record.id }, { removeOnComplete: true });
  }
}

/**
 * Sends what the queue has, with the appointment as a file for calendars. It waits for the server: a worker that began
 * by itself would take jobs in every command, and before the data are open.
 */
@Processor('reminders', { autorun: false })
export class ReminderProcessor extends WorkerHost {
  constructor(
    private readonly records: RecordsService,
    private readonly mail: MailService,
  ) {
    super();
  }

  @BeforeServe()
  begin(): void {
    void this.worker.run();
  }

  async process({ data: { appointment } }: Job<Reminder>): Promise<void> {
    const record = await this.records.findFirst('appointments', 'id = {:appointment}', { appointment });
    if (!record) return;
    const member = await this.records.findOne('members', record.get('member') as string);
    const treatment = await this.records.findOne('treatments', record.get('treatment') as string);
    await this.mail.send({
      to: member.get('email') as string,
      subject: `Your appointment: ${String(treatment.get('name'))}`,
      text: `We see you at ${String(record.get('at'))}.`,
      attachments: [{ name: 'appointment.ics', type: 'text/calendar', content: Buffer.from(calendarOf(record.id)) }],
      kind: 'reminder',
      record,
    });
  }
}

function calendarOf(id: string): string {
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:${id}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
}

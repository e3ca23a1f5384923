import { Injectable } from '@nestjs/common';
import { AfterRecordCreate, MailService, type RecordCreatedEvent, RecordsService } from 'roost';

/** Thanks for every order by mail. A mail server that is down costs the mail, never the order. */
@Injectable()
export class OrderHooks {
  constructor(
    private readonly mail: MailService,
    private readonly records: RecordsService,
  ) {}

  @AfterRecordCreate('orders')
  async thank({ record }: RecordCreatedEvent): Promise<void> {
    const customer = await this.records.findOne('customers', record.get('customer') as string);
    await this.mail.send({
      to: customer.get('email') as string,
      subject: `Your order ${record.id}`,
      text: `Thank you. It comes to ${String(record.get('total'))}.`,
    });
  }
}

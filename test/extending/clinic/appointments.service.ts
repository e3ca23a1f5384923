import { ConflictException, Injectable } from '@nestjs/common';
import { type Caller, ForbiddenError, type RecordModel, RecordsService } from 'roost';

/** Booking and looking up, for whatever transport asks. */
@Injectable()
export class AppointmentsService {
  constructor(private readonly records: RecordsService) {}

  /** Throws 403 for a guest, and 409 when the hour is taken. */
  book(caller: Caller, treatment: string, at: Date): Promise<RecordModel> {
    const member = caller.auth;
    if (!member || member.collection.name !== 'members') throw new ForbiddenError();
    return this.records.transaction(async () => {
      await this.records.findOne('treatments', treatment, { as: caller });
      if (await this.records.findFirst('appointments', 'at = {:at}', { at })) {
        throw new ConflictException('Somebody has this hour.');
      }
      return this.records.create('appointments', { member: member.id, treatment, at });
    });
  }

  async upcoming(caller: Caller): Promise<readonly RecordModel[]> {
    const { items } = await this.records.find('appointments', { as: caller, sort: 'at' });
    return items;
  }
}

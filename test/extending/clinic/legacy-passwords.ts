import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BeforeAuthWithPassword, type PasswordAuthEvent, RecordsService } from 'roost';

/** `legacy` has the salted hash of the old system until its owner comes back. */
@Injectable()
export class LegacyPasswords {
  constructor(private readonly records: RecordsService) {}

  @BeforeAuthWithPassword('members')
  async takeOver(event: PasswordAuthEvent): Promise<void> {
    const { record, password } = event;
    const [salt = '', hash = ''] = String(record?.get('legacy') ?? '').split(':');
    if (!record || hash === '' || !fits(password, salt, hash)) return;
    await this.records.update('members', record.id, { password, legacy: '' });
    event.isRight = true;
  }
}

function fits(password: string, salt: string, hash: string): boolean {
  const digest = createHash('sha256').update(`${salt}${password}`).digest();
  return timingSafeEqual(digest, Buffer.from(hash, 'hex'));
}

import { describe, expect, it } from 'vitest';
import type { AuthRecords } from '../../src/records/auth-records.js';
import { BackgroundMails } from '../../src/auth/emails/background-mails.js';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { withMinimumDuration } from '../../src/auth/minimum-duration.js';

const snapshot = () => account;
const account = { collection: {}, id: 'a', snapshot } as unknown as RecordModel;
const accounts = { findById: () => Promise.resolve(account) } as unknown as AuthRecords;

describe('mails behind the back of an answer', () => {
  it('AUTH-1101 AUTH-1503 begin later than the answer, which takes its time whatever it does', async () => {
    const mails = new BackgroundMails(accounts);
    const log: string[] = [];
    await Promise.all([
      withMinimumDuration(async () => {
        mails.send({ account, what: 'test', send: () => Promise.resolve(void log.push('mail')), undo: () => {} });
      }).then(() => log.push('answer')),
      withMinimumDuration(() => Promise.reject(new Error('No.'))).catch(() => log.push('failure')),
    ]);
    expect(log).toEqual(['answer', 'failure']);
    await mails.beforeApplicationShutdown();
    expect(log).toEqual(['answer', 'failure', 'mail']);
  });

  it('AUTH-1101 go out when the server stops, and what fails is undone and hurts nobody', async () => {
    const mails = new BackgroundMails(accounts);
    const log: string[] = [];
    mails.send({
      account,
      what: 'good',
      send: () => Promise.resolve(void log.push('sent')),
      undo: () => log.push('undone'),
    });
    mails.send({ account, what: 'bad', send: () => Promise.reject(new Error('No.')), undo: () => log.push('undone') });
    const undo = () => Promise.reject(new Error('Neither.'));
    mails.send({ account, what: 'worse', send: () => Promise.reject(new Error('No.')), undo });
    await mails.beforeApplicationShutdown();
    expect(log.toSorted()).toEqual(['sent', 'undone']);
  });

  it('OPS-39 are those of accounts as they are then, and none of an account that is gone', async () => {
    const gone = { findById: () => Promise.resolve(undefined) } as unknown as AuthRecords;
    const renamed = { ...account, id: 'b' } as RecordModel;
    const changed = { findById: () => Promise.resolve({ snapshot: () => renamed }) } as unknown as AuthRecords;
    const log: string[] = [];
    const send = ({ id }: RecordModel) => Promise.resolve(void log.push(id));
    const mails = [new BackgroundMails(gone), new BackgroundMails(changed)];
    for (const each of mails) each.send({ account, what: 'test', send, undo: () => log.push('undone') });
    await Promise.all(mails.map((each) => each.beforeApplicationShutdown()));
    expect(log).toEqual(['b']);
  });
});

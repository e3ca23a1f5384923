import { describe, expect, it } from 'vitest';
import type { AuthRecords } from '../../src/records/auth-records.js';
import type { AuthMails } from '../../src/auth/emails/auth-mails.js';
import { BackgroundMails } from '../../src/auth/emails/background-mails.js';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { withMinimumDuration } from '../../src/auth/minimum-duration.js';

const snapshot = () => account;
const account = { collection: {}, id: 'a', snapshot, stored: { characters: 0 } } as unknown as RecordModel;
const accounts = { findById: () => Promise.resolve(account) } as unknown as AuthRecords;
const room = { requireRoom: () => {} } as unknown as AuthMails;

describe('mails behind the back of an answer', () => {
  it('AUTH-1101 AUTH-1503 begin later than the answer, which takes its time whatever it does', async () => {
    const mails = new BackgroundMails(accounts, room);
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
    const mails = new BackgroundMails(accounts, room);
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
    const mails = [new BackgroundMails(gone, room), new BackgroundMails(changed, room)];
    for (const each of mails) each.send({ account, what: 'test', send, undo: () => log.push('undone') });
    await Promise.all(mails.map((each) => each.beforeApplicationShutdown()));
    expect(log).toEqual(['b']);
  });

  it('OPS-39 are refused without another look at the account, where it is too large to wait', async () => {
    const looks: string[] = [];
    const large = { ...account, stored: { values: 1, characters: 70_000 } } as RecordModel;
    const read = { findById: () => Promise.resolve(void looks.push('looked')) } as unknown as AuthRecords;
    const full = {
      requireRoom: (characters: number) => {
        throw new Error(`No room for ${characters}.`);
      },
    } as unknown as AuthMails;
    const mails = new BackgroundMails(read, full);
    mails.send({ account: large, what: 'test', send: () => Promise.resolve(), undo: () => looks.push('undone') });
    await mails.beforeApplicationShutdown();
    expect(looks).toEqual(['undone']);
  });
});

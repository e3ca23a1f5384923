import { describe, expect, it } from 'vitest';
import { BackgroundMails } from '../../src/auth/emails/background-mails.js';
import { withMinimumDuration } from '../../src/auth/minimum-duration.js';

describe('mails behind the back of an answer', () => {
  it('AUTH-1101 AUTH-1503 begin later than the answer, which takes its time whatever it does', async () => {
    const mails = new BackgroundMails();
    const log: string[] = [];
    await Promise.all([
      withMinimumDuration(async () => {
        mails.send({ what: 'test', send: () => Promise.resolve(void log.push('mail')), undo: () => {} });
      }).then(() => log.push('answer')),
      withMinimumDuration(() => Promise.reject(new Error('No.'))).catch(() => log.push('failure')),
    ]);
    expect(log).toEqual(['answer', 'failure']);
    await mails.beforeApplicationShutdown();
    expect(log).toEqual(['answer', 'failure', 'mail']);
  });

  it('AUTH-1101 go out when the server stops, and what fails is undone and hurts nobody', async () => {
    const mails = new BackgroundMails();
    const log: string[] = [];
    mails.send({ what: 'good', send: () => Promise.resolve(void log.push('sent')), undo: () => log.push('undone') });
    mails.send({ what: 'bad', send: () => Promise.reject(new Error('No.')), undo: () => log.push('undone') });
    const undo = () => Promise.reject(new Error('Neither.'));
    mails.send({ what: 'worse', send: () => Promise.reject(new Error('No.')), undo });
    await mails.beforeApplicationShutdown();
    expect(log.toSorted()).toEqual(['sent', 'undone']);
  });
});

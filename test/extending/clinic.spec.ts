import { createHash } from 'node:crypto';
import { WsAdapter } from '@nestjs/platform-ws';
import { RecordsService } from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Redis } from '../support/redis.js';
import { startRoost } from '../support/roost.js';
import { ClinicModule } from './clinic/clinic.module.js';
import { CLINIC_COLLECTIONS } from './clinic/collections.js';
import { SmsGateway } from './sms/sms-sign-in.js';

const PHONE = '+41 79 000 00 01';
const PASSWORD = 'ann-password';
const legacyHash = `salt:${createHash('sha256').update(`salt${PASSWORD}`).digest('hex')}`;

let redis: Redis;
let roost: TestRoost;
let records: RecordsService;
let messages: string[];
let token: string;
let massage: string;

const post = (path: string, body: object) => roost.inject({ url: `/api/collections/members/${path}`, body });
const ask = async (query: string, as?: string) => {
  const { body } = await roost.inject({ url: '/graphql', body: { query }, token: as });
  return body as { data: Record<string, unknown> | null; errors?: { extensions?: { code?: string } }[] };
};
const book = (at: string, as?: string) =>
  ask(`mutation { book(treatment: "${massage}", at: "${at}") { id at fee } }`, as);

async function codeSent(): Promise<string> {
  const before = messages.length;
  expect((await post('request-sms', { phone: PHONE })).status).toBe(204);
  await expect.poll(() => messages.length).toBe(before + 1);
  return /\d{6}/.exec(messages.at(-1)!)![0];
}

async function openSocket(): Promise<WebSocket> {
  const socket = new WebSocket(`${(await roost.listen()).replace('http', 'ws')}/waiting-room`);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return socket;
}

const heard = (socket: WebSocket) =>
  new Promise<{ event: string; data: unknown }>((resolve) => {
    socket.once('message', (text: Buffer) => resolve(JSON.parse(text.toString())));
  });

describe('a clinic of other people’s Nest modules and Roost’s parts', () => {
  beforeAll(async () => {
    redis = await Redis.start();
    roost = await startRoost({
      imports: [ClinicModule.forRoot({ redis: { host: redis.host, port: redis.port } })],
      configureApp: (app) => void app.useWebSocketAdapter(new WsAdapter(app)),
    });
    await roost.createCollections(...CLINIC_COLLECTIONS);
    records = roost.app.get(RecordsService, { strict: false });
    messages = [];
    roost.app.get(SmsGateway, { strict: false }).send = async (_phone, text) => void messages.push(text);
    const account = { email: 'ann@example.com', password: 'nobody knows', phone: PHONE, verified: true };
    await records.create('members', { ...account, legacy: legacyHash });
    massage = (await records.create('treatments', { name: 'Massage', fee: 80.5 })).id;
    await records.create('treatments', { name: 'Advice', fee: 20 });
  });
  afterAll(async () => {
    await roost?.close();
    await redis?.stop();
  });

  it('EXT-26 EXT-36 signs in with a text message and a password that another system has hashed', async () => {
    const first = await post('auth-with-sms', { phone: PHONE, code: await codeSent() });
    expect([first.status, Object.keys(first.body as object)]).toEqual([401, ['mfaId']]);
    const { mfaId } = first.body as { mfaId: string };
    const second = await post('auth-with-password', { identity: 'ann@example.com', password: PASSWORD, mfaId });
    expect(second, second.text).toMatchObject({ status: 200, body: { record: { email: 'ann@example.com' } } });
    token = (second.body as { token: string }).token;
    const member = (await records.findFirst('members', "email = 'ann@example.com'"))!;
    expect([member.get('legacy'), (member.get('password') as object).constructor.name]).toEqual(['', 'PasswordValue']);
  });

  it('EXT-13 EXT-45 books by GraphQL, as whoever the token is of', async () => {
    expect((await book('2030-01-01T10:00:00Z')).errors![0]!.extensions!.code).toBe('401');
    const { data, errors } = await book('2030-01-01T10:00:00Z', token);
    expect(data, JSON.stringify(errors)).toMatchObject({ book: { at: '2030-01-01 10:00:00.000Z', fee: 80.5 } });
    expect((await book('2030-01-01T10:00:00Z', token)).errors![0]!.extensions!.code).toBe('409');
    expect((await ask('{ upcoming { fee } }', token)).data).toEqual({ upcoming: [{ fee: 80.5 }] });
    expect((await ask('{ upcoming { fee } }')).data).toEqual({ upcoming: [] });
  });

  it('EXT-28 the queue mails what was booked, with a file for calendars', async () => {
    await expect.poll(() => roost.mails.length).toBe(1);
    const [mail] = roost.mails;
    expect(mail).toMatchObject({ subject: 'Your appointment: Massage', to: [{ address: 'ann@example.com' }] });
    const [file] = mail!.attachments!;
    expect([file!.name, Buffer.from(file!.content).toString()]).toEqual([
      'appointment.ics',
      expect.stringContaining('BEGIN:VCALENDAR'),
    ]);
  });

  it('EXT-13 the gateway knows who asks, and tells everybody what was booked', async () => {
    const socket = await openSocket();
    try {
      const mine = (as?: string) => {
        const answer = heard(socket);
        socket.send(JSON.stringify({ event: 'mine', data: { token: as } }));
        return answer;
      };
      expect(await mine()).toEqual({ event: 'mine', data: [] });
      expect(await mine('not.a.token')).toEqual({ event: 'mine', data: [] });
      expect(await mine(token)).toEqual({ event: 'mine', data: ['2030-01-01 10:00:00.000Z'] });
      const told = heard(socket);
      await book('2030-01-01T11:00:00Z', token);
      expect(await told).toEqual({ event: 'taken', data: '2030-01-01 11:00:00.000Z' });
    } finally {
      socket.close();
    }
  });

  it('EXT-43 filters fees as they are written, and keeps them in cents', async () => {
    const filter = encodeURIComponent('fee > 80');
    const { body } = await roost.inject({ url: `/api/collections/treatments/records?filter=${filter}` });
    expect((body as { items: object[] }).items).toMatchObject([{ name: 'Massage', fee: 80.5 }]);
    const refused = await roost.inject({
      url: '/api/collections/treatments/records',
      token: await roost.createSuperuser(),
      body: { name: 'Gift', fee: -1 },
    });
    expect(refused.body).toMatchObject({ data: { fee: { code: 'validation_negative' } } });
  });
});

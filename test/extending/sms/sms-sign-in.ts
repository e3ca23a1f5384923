import { createHash, randomInt } from 'node:crypto';
import { Controller, Inject, Injectable, Logger, Module, Post } from '@nestjs/common';
import {
  AuthModule,
  type AuthResult,
  AuthRoute,
  BadRequestError,
  type Caller,
  CLOCK,
  type Clock,
  type Collection,
  CurrentBody,
  CurrentCaller,
  CurrentCollection,
  ForbiddenError,
  ReadsBody,
  type RecordModel,
  RecordsModule,
  RecordsService,
  type RequestBody,
  SignInModule,
  SignInService,
} from 'roost';

/** Milliseconds. */
const LIFE = 300_000;
const PAUSE = 60_000;

const hashOf = (account: RecordModel, code: string) =>
  createHash('sha256').update(`${account.id}/${code}`).digest('hex');

/** Hands text messages to whoever delivers them. */
@Injectable()
export class SmsGateway {
  async send(phone: string, text: string): Promise<void> {
    await fetch('https://sms.example/messages', { method: 'POST', body: JSON.stringify({ phone, text }) });
  }
}

/** Codes as they are stored: in a collection without rules, `sms_codes` with `account`, `hash` and `sent`. */
@Injectable()
export class SmsCodes {
  private readonly logger = new Logger('Sms');

  constructor(
    private readonly records: RecordsService,
    private readonly gateway: SmsGateway,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Without a number there is nobody: members who gave none have an empty one. */
  async findAccount(phone: string): Promise<RecordModel | undefined> {
    return phone === '' ? undefined : this.records.findFirst('members', 'phone = {:phone}', { phone });
  }

  /** In the background, so that neither the answer nor its time tells whether somebody has this number. */
  request(phone: string): void {
    this.deliver(phone).catch((error: unknown) => this.logger.error(`The code was not sent: ${String(error)}`));
  }

  /** Uses the code up when it is right. */
  redeem(account: RecordModel | undefined, code: string): Promise<boolean> {
    return this.records.transaction(async () => {
      const stored = account && (await this.find(account));
      if (!stored || this.ageOf(stored) > LIFE || stored.get('hash') !== hashOf(account, code)) return false;
      await this.records.delete('sms_codes', stored.id);
      return true;
    });
  }

  private async deliver(phone: string): Promise<void> {
    const account = await this.findAccount(phone);
    const code = String(randomInt(1_000_000)).padStart(6, '0');
    if (account && (await this.store(account, code))) await this.gateway.send(phone, `Your code is ${code}.`);
  }

  /** False when one was sent a moment ago. */
  private store(account: RecordModel, code: string): Promise<boolean> {
    return this.records.transaction(async () => {
      const earlier = await this.find(account);
      if (earlier && this.ageOf(earlier) < PAUSE) return false;
      if (earlier) await this.records.delete('sms_codes', earlier.id);
      const sent = new Date(this.clock.now()).toISOString();
      await this.records.create('sms_codes', { account: account.id, hash: hashOf(account, code), sent });
      return true;
    });
  }

  private find(account: RecordModel): Promise<RecordModel | undefined> {
    return this.records.findFirst('sms_codes', 'account = {:id}', { id: account.id });
  }

  private ageOf(stored: RecordModel): number {
    return this.clock.now() - Date.parse(stored.get('sent') as string);
  }
}

const members = { refuses: ({ name }: Collection) => (name === 'members' ? undefined : new ForbiddenError()) };

@Controller('api/collections/:collection')
export class SmsController {
  constructor(
    private readonly codes: SmsCodes,
    private readonly signIns: SignInService,
  ) {}

  @Post('request-sms')
  @AuthRoute({ tags: ['requestSms'], status: 204, ...members })
  @ReadsBody()
  request(@CurrentBody() { values }: RequestBody): void {
    this.codes.request(String(values['phone'] ?? ''));
  }

  @Post('auth-with-sms')
  @AuthRoute({ tags: ['authWithSms', 'auth'], ...members })
  @ReadsBody()
  async login(
    @CurrentCollection() collection: Collection,
    @CurrentBody() body: RequestBody,
    @CurrentCaller() caller: Caller,
  ): Promise<AuthResult> {
    const [phone, code] = [String(body.values['phone'] ?? ''), String(body.values['code'] ?? '')];
    const account = await this.codes.findAccount(phone);
    const attempt = { method: 'sms', collection, account: account ?? phone, caller };
    const isRight = await this.signIns.isRight(attempt, () => this.codes.redeem(account, code));
    if (!account || !isRight) throw new BadRequestError('The number or the code is wrong.');
    return this.signIns.signIn(account, { method: 'sms', caller, body });
  }
}

@Module({
  imports: [
    AuthModule,
    RecordsModule,
    SignInModule.register({ name: 'sms', displayName: 'Text message', collections: ['members'] }),
  ],
  controllers: [SmsController],
  providers: [SmsCodes, SmsGateway],
})
export class SmsModule {}

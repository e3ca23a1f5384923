import { SuperusersService } from '../auth/superusers/superusers.service.js';
import { CommandRunner, SubCommand } from './commands.js';
import { Terminal } from './terminal.js';

const ACCOUNT = { email: 'address of the superuser', pass: 'password; asked for without echo when left out' };

@SubCommand({
  name: 'create',
  arguments: '<email> [pass]',
  argsDescription: ACCOUNT,
  description: 'Creates a superuser.',
})
export class SuperuserCreateCommand extends CommandRunner {
  constructor(
    private readonly superusers: SuperusersService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run([email, pass]: string[]): Promise<void> {
    await this.superusers.create({ email: email!, password: await this.terminal.password(pass) });
    this.terminal.say(`Created the superuser ${email}.`);
  }
}

@SubCommand({
  name: 'update',
  arguments: '<email> [pass]',
  argsDescription: ACCOUNT,
  description: 'Sets the password of a superuser.',
})
export class SuperuserUpdateCommand extends CommandRunner {
  constructor(
    private readonly superusers: SuperusersService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run([email, pass]: string[]): Promise<void> {
    await this.superusers.update({ email: email!, password: await this.terminal.password(pass) });
    this.terminal.say(`Changed the password of the superuser ${email}.`);
  }
}

@SubCommand({
  name: 'upsert',
  arguments: '<email> [pass]',
  argsDescription: ACCOUNT,
  description: 'Creates a superuser, or sets the password of the one there is.',
})
export class SuperuserUpsertCommand extends CommandRunner {
  constructor(
    private readonly superusers: SuperusersService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run([email, pass]: string[]): Promise<void> {
    await this.superusers.upsert({ email: email!, password: await this.terminal.password(pass) });
    this.terminal.say(`The superuser ${email} is ready.`);
  }
}

@SubCommand({
  name: 'delete',
  arguments: '<email>',
  argsDescription: { email: ACCOUNT.email },
  description: 'Deletes a superuser; never the last one.',
})
export class SuperuserDeleteCommand extends CommandRunner {
  constructor(
    private readonly superusers: SuperusersService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run([email]: string[]): Promise<void> {
    const deleted = await this.superusers.delete(email!);
    this.terminal.say(deleted ? `Deleted the superuser ${email}.` : `There is no superuser ${email}.`);
  }
}

@SubCommand({
  name: 'otp',
  arguments: '<email>',
  argsDescription: { email: ACCOUNT.email },
  description: 'Prints a one-time password for a superuser who has no other way in.',
})
export class SuperuserOtpCommand extends CommandRunner {
  constructor(
    private readonly superusers: SuperusersService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run([email]: string[]): Promise<void> {
    const { otpId, code, duration } = await this.superusers.createOtp(email!);
    this.terminal.say(`Id:    ${otpId}\nCode:  ${code}\nValid: ${duration} seconds`);
  }
}

@SubCommand({
  name: 'ips',
  arguments: '[addresses...]',
  argsDescription: { addresses: 'IP addresses or CIDR subnets; none lifts the restriction' },
  description: 'Replaces the addresses superusers may act from.',
})
export class SuperuserIpsCommand extends CommandRunner {
  constructor(
    private readonly superusers: SuperusersService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run(addresses: string[]): Promise<void> {
    await this.superusers.setIps(addresses);
    this.terminal.say(
      addresses.length > 0
        ? `Superusers may act from ${addresses.join(', ')}.`
        : 'Superusers may act from any address.',
    );
  }
}

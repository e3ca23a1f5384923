import { Command, CommandRunner } from './commands.js';
import { Opens } from './opens.decorator.js';
import {
  SuperuserCreateCommand,
  SuperuserDeleteCommand,
  SuperuserIpsCommand,
  SuperuserOtpCommand,
  SuperuserUpdateCommand,
  SuperuserUpsertCommand,
} from './superuser-subcommands.js';

@Command({
  name: 'superuser',
  description: 'Manages superuser accounts, also beside a running server.',
  subCommands: [
    SuperuserCreateCommand,
    SuperuserUpdateCommand,
    SuperuserUpsertCommand,
    SuperuserDeleteCommand,
    SuperuserOtpCommand,
    SuperuserIpsCommand,
  ],
})
@Opens('nothing')
export class SuperuserCommand extends CommandRunner {
  /** Prints the help that lists the subcommands. */
  run(): Promise<void> {
    this.command.outputHelp();
    return Promise.resolve();
  }
}

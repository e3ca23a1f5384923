import { Command, CommandRunner } from './commands.js';
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
export class SuperuserCommand extends CommandRunner {
  /** Without a subcommand there is nothing to do but to say which there are. */
  run(): Promise<void> {
    this.command.outputHelp();
    return Promise.resolve();
  }
}

import { BackupCreateCommand, BackupRestoreCommand } from './backup-subcommands.js';
import { Command, CommandRunner } from './commands.js';
import { Opens } from './opens.decorator.js';

@Command({
  name: 'backup',
  description: 'Makes and restores backups while no server is running.',
  subCommands: [BackupCreateCommand, BackupRestoreCommand],
})
@Opens('nothing')
export class BackupCommand extends CommandRunner {
  /** Prints the help that lists the subcommands. */
  run(): Promise<void> {
    this.command.outputHelp();
    return Promise.resolve();
  }
}

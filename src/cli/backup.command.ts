import { BackupCreateCommand, BackupRestoreCommand } from './backup-subcommands.js';
import { Command, CommandRunner } from './commands.js';

@Command({
  name: 'backup',
  description: 'Makes and restores backups while no server is running.',
  subCommands: [BackupCreateCommand, BackupRestoreCommand],
})
export class BackupCommand extends CommandRunner {
  /** Without a subcommand there is nothing to do but to say which there are. */
  run(): Promise<void> {
    this.command.outputHelp();
    return Promise.resolve();
  }
}

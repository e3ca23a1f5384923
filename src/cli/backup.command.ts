import { CommandRunner } from 'nest-commander/src/command-runner.interface.js';
import { Command } from 'nest-commander/src/command.decorators.js';
import { BackupCreateCommand, BackupRestoreCommand } from './backup-subcommands.js';

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

import { Command, CommandRunner } from 'nest-commander';
import { FilesCopyCommand } from './files-copy.command.js';

@Command({
  name: 'files',
  description: 'Manages stored files, also beside a running server.',
  subCommands: [FilesCopyCommand],
})
export class FilesCommand extends CommandRunner {
  /** Without a subcommand there is nothing to do but to say which there are. */
  run(): Promise<void> {
    this.command.outputHelp();
    return Promise.resolve();
  }
}

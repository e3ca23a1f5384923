import { Command, CommandRunner } from './commands.js';
import { FilesCopyCommand } from './files-copy.command.js';

@Command({ name: 'files', description: 'Works on uploaded files.', subCommands: [FilesCopyCommand] })
export class FilesCommand extends CommandRunner {
  run(): Promise<void> {
    this.command.outputHelp();
    return Promise.resolve();
  }
}

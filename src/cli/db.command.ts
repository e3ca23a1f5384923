import { Command, CommandRunner } from './commands.js';
import { DbCopyCommand } from './db-copy.command.js';

@Command({ name: 'db', description: 'Works on the database.', subCommands: [DbCopyCommand] })
export class DbCommand extends CommandRunner {
  run(): Promise<void> {
    this.command.outputHelp();
    return Promise.resolve();
  }
}

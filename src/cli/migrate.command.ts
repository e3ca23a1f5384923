import { Command, CommandRunner } from './commands.js';
import { Opens } from './opens.decorator.js';
import {
  MigrateCollectionsCommand,
  MigrateCreateCommand,
  MigrateDownCommand,
  MigrateHistorySyncCommand,
  MigrateUpCommand,
} from './migrate-subcommands.js';

@Command({
  name: 'migrate',
  description: 'Applies and writes migrations; without a subcommand applies what is pending.',
  subCommands: [
    MigrateUpCommand,
    MigrateDownCommand,
    MigrateCreateCommand,
    MigrateCollectionsCommand,
    MigrateHistorySyncCommand,
  ],
})
@Opens('exclusive')
export class MigrateCommand extends CommandRunner {
  constructor(private readonly up: MigrateUpCommand) {
    super();
  }

  run(): Promise<void> {
    return this.up.run();
  }
}

import { CommandRunner } from 'nest-commander/src/command-runner.interface.js';
import { Command } from 'nest-commander/src/command.decorators.js';
import { PocketBaseImportService } from '../pocketbase-import/pocketbase-import.service.js';
import { Terminal } from './terminal.js';

@Command({
  name: 'import-pocketbase',
  arguments: '<directory>',
  argsDescription: { directory: 'data directory of PocketBase 0.23 or newer; it is only read' },
  description: 'Fills an empty data directory from one of PocketBase.',
})
export class ImportPocketBaseCommand extends CommandRunner {
  constructor(
    private readonly service: PocketBaseImportService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run([directory]: string[]): Promise<void> {
    const report = await this.service.import(directory!, (line) => this.terminal.say(line));
    const total = report.collections.reduce((sum, { records }) => sum + records, 0);
    this.terminal.say(`Imported ${total} records; counts and checksums agree.`);
    this.terminal.say(
      'Files stay open to everybody who knows their address, but for protected ones: see files.openUnprotected.',
    );
    if (report.notCarriedOver.length > 0) {
      this.terminal.say('Not carried over:');
      for (const line of report.notCarriedOver) this.terminal.say(`- ${line}`);
    }
  }
}

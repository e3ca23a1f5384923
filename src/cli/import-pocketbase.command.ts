import { PocketBaseImportService } from '../pocketbase-import/pocketbase-import.service.js';
import { Command, CommandRunner } from './commands.js';
import { Opens } from './opens.decorator.js';
import { Terminal } from './terminal.js';

@Command({
  name: 'import-pocketbase',
  arguments: '<directory>',
  argsDescription: { directory: 'data directory of PocketBase 0.23 or newer; it is only read' },
  description: 'Fills an empty data directory from one of PocketBase.',
})
@Opens('nothing')
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
    const { length: compared } = report.collections;
    this.terminal.say(
      `Imported ${total} records; counts and checksums agree in the ${compared} collections that hold any.`,
    );
    const asTheyWere = report.changed.length === 0 ? 'nothing is different' : 'what is different is told below';
    this.terminal.say(`Compared ${report.definitions} definitions of collections; ${asTheyWere}.`);
    this.terminal.say(
      'Files stay open to everybody who knows their address, but for protected ones: see files.openUnprotected.',
    );
    this.list('Not as it was:', report.changed);
    this.list('Not carried over:', report.notCarriedOver);
  }

  private list(title: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.terminal.say(title);
    for (const line of lines) this.terminal.say(`- ${line}`);
  }
}

import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BackupsService } from '../backups/backups.service.js';
import { StartError } from '../config/start.error.js';
import { CommandRunner, Option, SubCommand } from './commands.js';
import { NeedsData, Opens } from './opens.decorator.js';
import { formatAmount } from './progress-line.js';
import { Terminal } from './terminal.js';

@SubCommand({
  name: 'create',
  arguments: '[name]',
  argsDescription: { name: 'name of the zip; made of application and time when left out' },
  description: 'Makes a backup where the settings keep them; with SQLite while no server runs.',
})
@Opens('exclusive')
@NeedsData()
export class BackupCreateCommand extends CommandRunner {
  constructor(
    private readonly backups: BackupsService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run([name]: string[]): Promise<void> {
    const progress = this.terminal.progress();
    try {
      progress.show('Taking a snapshot of the databases');
      const key = await this.backups.create(name, { onProgress: (amount) => progress.show(formatAmount(amount)) });
      progress.clear();
      this.terminal.say(`Made the backup ${key}.`);
    } finally {
      progress.clear();
    }
  }
}

@SubCommand({
  name: 'restore',
  arguments: '<file>',
  argsDescription: { file: 'path of the zip' },
  description: 'Replaces databases and files by those of a backup, while no server runs.',
})
@Opens('lock')
export class BackupRestoreCommand extends CommandRunner {
  constructor(
    private readonly backups: BackupsService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run([file]: string[], { yes }: { readonly yes?: boolean } = {}): Promise<void> {
    const path = resolve(file!);
    await access(path).catch((error: unknown) => {
      throw new StartError(`The backup cannot be read: ${(error as Error).message}`, { cause: error });
    });
    if (!(await this.terminal.confirm('Replace all present data by that of the backup?', yes))) {
      this.terminal.say('Cancelled, nothing was changed.');
      return;
    }
    const progress = this.terminal.progress();
    try {
      progress.show('Taking a copy of the backup');
      await this.backups.restoreFile(path, (amount) => progress.show(formatAmount(amount)));
    } finally {
      progress.clear();
    }
    this.terminal.say(`Restored ${path}.`);
  }

  @Option({ flags: '--yes', description: 'answers the question with yes' })
  yes(): boolean {
    return true;
  }
}

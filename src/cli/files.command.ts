import { UsageError } from '../config/usage.error.js';
import { type StorageCopyProgress, type CopyTarget, StorageCopy } from '../storage/storage-copy.js';
import { Command, CommandRunner, Option, SubCommand } from './commands.js';
import { NeedsData, Opens } from './opens.decorator.js';
import { Terminal } from './terminal.js';

/** How many files go by before a line says so. */
const REPORT_EVERY = 1000;

/** Failures that are named one by one. */
const NAMED_FAILURES = 20;

@SubCommand({
  name: 'copy',
  description: 'Copies all files between the data directory and the S3 bucket of the settings.',
})
@NeedsData()
export class FilesCopyCommand extends CommandRunner {
  constructor(
    private readonly copy: StorageCopy,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run(_args: string[], { to }: { to: CopyTarget }): Promise<void> {
    const result = await this.copy.run(to, { onProgress: (progress) => this.report(progress) });
    const { copied, present, bytes, failures } = result;
    this.terminal.say(`Copied ${copied} files (${bytes} bytes), ${present} were there already.`);
    for (const { key, reason } of failures.slice(0, NAMED_FAILURES)) this.terminal.say(`Not copied: ${key}: ${reason}`);
    if (failures.length > 0) throw new Error(`${failures.length} files could not be copied. Run the command again.`);
  }

  @Option({ flags: '--to <storage>', description: 'where to: s3 or local', required: true })
  to(storage: string): CopyTarget {
    if (storage !== 's3' && storage !== 'local') throw new UsageError(`--to: "${storage}" is neither s3 nor local.`);
    return storage;
  }

  private report({ copied, present, failures }: StorageCopyProgress): void {
    const done = copied + present + failures.length;
    if (done > 0 && done % REPORT_EVERY === 0) this.terminal.say(`${done} files so far`);
  }
}

@Command({ name: 'files', description: 'Works on uploaded files.', subCommands: [FilesCopyCommand] })
@Opens('nothing')
export class FilesCommand extends CommandRunner {
  run(): Promise<void> {
    this.command.outputHelp();
    return Promise.resolve();
  }
}

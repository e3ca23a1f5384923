import { CommandRunner, Option, SubCommand } from 'nest-commander';
import { StartError } from '../config/start.error.js';
import { UsageError } from '../config/usage.error.js';
import { type CopyProgress, type CopyTarget, StorageCopy } from '../storage/storage-copy.js';
import { formatBytes } from './progress-line.js';
import { Terminal } from './terminal.js';

/** Failures that are named; beyond them only their number is of interest. */
const MOST_NAMED = 20;

@SubCommand({ name: 'copy', description: 'Copies all files from one storage to the other; may be run again.' })
export class FilesCopyCommand extends CommandRunner {
  constructor(
    private readonly copy: StorageCopy,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run(_args: string[], { to }: { readonly to?: CopyTarget } = {}): Promise<void> {
    if (to === undefined) throw new UsageError('--to is missing: local or s3.');
    const progress = this.terminal.progress();
    let result: CopyProgress;
    try {
      result = await this.copy.run(to, { onProgress: (each) => progress.show(summary(each)) });
    } finally {
      progress.clear();
    }
    this.terminal.say(summary(result));
    if (result.failures.length === 0) return;
    const named = result.failures.slice(0, MOST_NAMED).map(({ key, reason }) => `  ${key}: ${reason}`);
    throw new StartError(`${result.failures.length} files could not be copied:\n${named.join('\n')}`);
  }

  @Option({ flags: '--to <storage>', description: 'where to: local or s3' })
  to(value: string): CopyTarget {
    if (value !== 'local' && value !== 's3') throw new UsageError(`--to: "${value}" is neither local nor s3.`);
    return value;
  }
}

function summary({ copied, present, bytes, failures }: CopyProgress): string {
  return `${copied} files copied (${formatBytes(bytes)}), ${present} were there already, ${failures.length} failed`;
}

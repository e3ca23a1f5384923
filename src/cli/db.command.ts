import { resolve } from 'node:path';
import { isDatabaseUrl } from '../config/option-value.js';
import { UsageError } from '../config/usage.error.js';
import type { DatabasePlace } from '../database/other-databases.js';
import { WholeCopy, type WholeCopyReport } from '../transfer/whole-copy.js';
import { Command, CommandRunner, Option, SubCommand } from './commands.js';
import { NeedsData, Opens } from './opens.decorator.js';
import { Terminal } from './terminal.js';

@SubCommand({
  name: 'copy',
  description:
    'Copies everything into an empty database: from SQLite to PostgreSQL, or back. A server may go on meanwhile.',
})
@NeedsData()
export class DbCopyCommand extends CommandRunner {
  constructor(
    private readonly copy: WholeCopy,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run(_args: string[], { to, logs = true }: { to?: DatabasePlace; logs?: boolean }): Promise<void> {
    if (to === undefined) throw new UsageError('Say where to copy to: --to postgres://… or --to <directory>.');
    const progress = this.terminal.progress();
    try {
      const report = await this.copy.to(to, {
        logs,
        onProgress: ({ table, rows }) => progress.show(`${table}: ${rows} rows`),
        onCollection: ({ name, records, checksum }) => {
          progress.clear();
          this.terminal.say(`${name}: ${records} records, sha256 ${checksum.slice(0, 16)}`);
        },
        onVacuum: (table) => {
          progress.clear();
          progress.show(`${table}: is vacuumed`);
        },
      });
      progress.clear();
      this.report(report);
    } finally {
      progress.clear();
    }
  }

  @Option({
    flags: '--to <place>',
    description: 'where to: postgres://user:password@host:port/database, or a data directory',
  })
  to(place: string): DatabasePlace {
    if (/^postgres(?:ql)?:/.test(place)) {
      // Never shown: it holds a password.
      if (!isDatabaseUrl(place)) throw new UsageError('--to is not an address postgres://host/database.');
      return { url: place };
    }
    if (place === '' || /^\w+:\/\//.test(place)) throw new UsageError('--to is neither postgres://… nor a directory.');
    return { dir: resolve(place) };
  }

  @Option({ flags: '--no-logs', description: 'leaves the log out' })
  logs(): boolean {
    return false;
  }

  private report({ collections, views, changed, leftOut, logs, place }: WholeCopyReport): void {
    const records = collections.reduce((sum, each) => sum + each.records, 0);
    this.terminal.say(
      `Copied ${records} records of ${collections.length} collections and ${views} views to ${place}; counts and checksums agree.`,
    );
    if (!logs) this.terminal.say('The log was left out.');
    else this.terminal.say(`The log came along: ${logs.count} entries.`);
    if (logs && logs.refused > 0) this.terminal.say(`${logs.refused} entries of the log were refused and left out.`);
    for (const line of changed) this.terminal.say(`Not as it was: ${line}`);
    for (const name of leftOut) this.terminal.say(`Not copied: the table ${name}, which belongs to no collection.`);
    this.terminal.say('Files of records stay where they are; see files copy.');
  }
}

@Command({ name: 'db', description: 'Works on the database.', subCommands: [DbCopyCommand] })
@Opens('nothing')
export class DbCommand extends CommandRunner {
  run(): Promise<void> {
    this.command.outputHelp();
    return Promise.resolve();
  }
}

import { UsageError } from '../config/usage.error.js';
import { UserMigrationsService } from '../user-migrations/user-migrations.service.js';
import { CommandRunner, Option, SubCommand } from './commands.js';
import { Opens } from './opens.decorator.js';
import { Startup } from './startup.js';
import { Terminal } from './terminal.js';

/** The answer to every question of a command. */
interface Answered {
  readonly yes?: boolean;
}

/** What `migrate create` is to write. */
interface CreateOptions extends Answered {
  readonly fromEntities?: boolean;
}

const YES = { flags: '--yes', description: 'answers the question with yes' };
const CANCELLED = 'Cancelled, nothing was changed.';

@SubCommand({ name: 'up', description: 'Applies pending migrations.' })
@Opens('exclusive')
export class MigrateUpCommand extends CommandRunner {
  constructor(
    private readonly migrations: UserMigrationsService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.migrations.requireFolder();
    const applied = await this.migrations.up();
    for (const file of applied) this.terminal.say(`Applied ${file}`);
    if (applied.length === 0) this.terminal.say('There is nothing to apply.');
  }
}

@SubCommand({
  name: 'down',
  arguments: '[count]',
  argsDescription: { count: 'how many of the last applied ones; 1 when left out' },
  description: 'Takes the last applied migrations back, newest first.',
})
@Opens('exclusive')
export class MigrateDownCommand extends CommandRunner {
  constructor(
    private readonly migrations: UserMigrationsService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run([text = '1']: string[], { yes }: Answered = {}): Promise<void> {
    if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`"${text}" is not a number of migrations.`);
    await this.migrations.requireFolder();
    const files = await this.migrations.findLast(Number(text));
    const isWanted = files.length === 0 || (await this.terminal.confirm(`Take back ${files.join(', ')}?`, yes));
    if (!isWanted) return this.terminal.say(CANCELLED);
    const { reverted, missing } = await this.migrations.down(Number(text));
    for (const file of reverted) this.terminal.say(`Reverted ${file}`);
    for (const file of missing) this.terminal.say(`Skipped ${file}, which was applied but has no file`);
    if (reverted.length === 0) this.terminal.say('There is nothing to take back.');
  }

  @Option(YES)
  yes(): boolean {
    return true;
  }
}

@SubCommand({
  name: 'create',
  arguments: '<name>',
  argsDescription: { name: 'what the migration is for' },
  description: 'Writes an empty migration, or that of your TypeORM entities.',
})
@Opens('nothing')
export class MigrateCreateCommand extends CommandRunner {
  constructor(
    private readonly migrations: UserMigrationsService,
    private readonly startup: Startup,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run([name]: string[], { yes, fromEntities = false }: CreateOptions = {}): Promise<void> {
    const what = fromEntities ? 'the migration of your entities' : 'an empty migration';
    if (!(await this.terminal.confirm(`Write ${what} "${name}"?`, yes))) return this.terminal.say(CANCELLED);
    if (!fromEntities) return this.terminal.say(await this.migrations.create(name!));
    await this.startup.open(false);
    const { path, leftOut } = await this.migrations.createFromEntities(name!);
    for (const entity of leftOut) {
      this.terminal.warn(`${entity} is left out: its table is a collection, which is changed as one.`);
    }
    this.terminal.say(path ?? 'The tables are what your entities say: there is nothing to write.');
  }

  @Option({ flags: '--from-entities', description: 'compares your TypeORM entities with their tables' })
  fromEntities(): boolean {
    return true;
  }

  @Option(YES)
  yes(): boolean {
    return true;
  }
}

@SubCommand({ name: 'collections', description: 'Writes a migration that imports all present collections.' })
export class MigrateCollectionsCommand extends CommandRunner {
  constructor(
    private readonly migrations: UserMigrationsService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run(_args: string[], { yes }: Answered = {}): Promise<void> {
    const isWanted = await this.terminal.confirm('Write a snapshot of all collections?', yes);
    if (!isWanted) return this.terminal.say(CANCELLED);
    const { path, brokenViews } = await this.migrations.createSnapshot();
    this.terminal.say(path);
    for (const { view, reason } of brokenViews) {
      this.terminal.warn(`The view ${view.name} is broken and will come back so: ${reason}`);
    }
  }

  @Option(YES)
  yes(): boolean {
    return true;
  }
}

@SubCommand({ name: 'history-sync', description: 'Forgets applied migrations whose file is gone.' })
@Opens('exclusive')
export class MigrateHistorySyncCommand extends CommandRunner {
  constructor(
    private readonly migrations: UserMigrationsService,
    private readonly terminal: Terminal,
  ) {
    super();
  }

  async run(): Promise<void> {
    await this.migrations.requireFolder();
    const forgotten = await this.migrations.syncHistory();
    for (const file of forgotten) this.terminal.say(`Forgot ${file}`);
    if (forgotten.length === 0) this.terminal.say('Every applied migration has its file.');
  }
}

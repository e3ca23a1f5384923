import { Injectable } from '@nestjs/common';
import { type Command, CommanderError } from 'commander';
import { InjectCommander } from 'nest-commander/src/command.decorators.js';
import { UsageError } from '../config/usage.error.js';
import { packageVersion } from '../config/package-info.js';
import { flagsHelp } from './flags-help.js';
import { Startup } from './startup.js';

/** Runs the command that the arguments name, with the exit codes of OPS-163. */
@Injectable()
export class CommandLine {
  constructor(
    @InjectCommander() private readonly program: Command,
    private readonly startup: Startup,
  ) {}

  /** Runs `args` (without node and script). Throws a UsageError, a StartError or what the command threw. */
  async run(args: readonly string[]): Promise<void> {
    this.prepare();
    if (args.length === 0) {
      this.program.outputHelp();
      return;
    }
    try {
      await this.program.parseAsync([...args], { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      // Help and version end with a code of 0; commander has already printed what is to be said.
      if (error.exitCode !== 0) throw new UsageError('');
    }
  }

  private prepare(): void {
    const { program } = this;
    program
      .name('roost')
      .description('A self-contained backend for web and mobile apps.')
      .version(packageVersion(), '-v, --version', 'prints the version')
      .helpOption('-h, --help', 'shows this help')
      .addHelpText('after', flagsHelp(false));
    program.hook('preAction', (_program, command) => this.startup.prepare(commandPath(command)));
    for (const command of program.commands) command.addHelpText('after', flagsHelp(command.name() === 'serve'));
    forEachCommand(program, (command) => {
      command.exitOverride();
      command.showHelpAfterError(`(${['roost', ...commandPath(command), '--help'].join(' ')} tells more)`);
      command.allowExcessArguments(false);
    });
  }
}

function forEachCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) forEachCommand(child, visit);
}

function commandPath(command: Command): string[] {
  return command.parent ? [...commandPath(command.parent), command.name()] : [];
}

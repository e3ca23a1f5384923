import { Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Command, CommanderError } from 'commander';
import { UsageError } from '../config/usage.error.js';
import { packageVersion } from '../config/package-info.js';
import { CommandClasses } from './command-classes.js';
import { InjectCommander } from './commands.js';
import { flagsHelp } from './flags-help.js';
import { NeedsData, type Opening, Opens } from './opens.decorator.js';
import { Startup } from './startup.js';

/** Runs the command that the arguments name, with the exit codes of OPS-163. */
@Injectable()
export class CommandLine {
  constructor(
    @InjectCommander() private readonly program: Command,
    private readonly startup: Startup,
    private readonly classes: CommandClasses,
    private readonly reflector: Reflector,
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
      // Help and version end with such an error after commander has printed them.
      if (!(error instanceof CommanderError)) throw error;
    }
  }

  private async open(command: Command): Promise<void> {
    const type = this.classes.all().get(command);
    const opening: Opening = (type && this.reflector.get(Opens, type)) ?? 'shared';
    await this.startup.prepare(opening, { needsData: Boolean(type && this.reflector.get(NeedsData, type)) });
  }

  private prepare(): void {
    const { program } = this;
    program
      .name('roost')
      .description('A self-contained backend for web and mobile apps.')
      .version(packageVersion(), '-v, --version', 'prints the version')
      .addHelpCommand('help [command]', 'Shows the help of a command.');
    program.hook('preAction', (_program, command) => this.open(command));
    forEachCommand(program, (command) => {
      command.helpOption('-h, --help', 'shows this help');
      command.addHelpText('after', flagsHelp(command.name() === 'serve'));
      command.allowExcessArguments(false);
      command.configureOutput({ outputError: () => {} });
      command.exitOverride((error) => {
        if (error.exitCode === 0) throw error;
        const help = ['roost', ...commandPath(command), '--help'].join(' ');
        throw new UsageError(`${complaint(command, error)} See: ${help}`);
      });
    });
  }
}

function forEachCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const child of command.commands) forEachCommand(child, visit);
}

/** The error in one line, with the word it is about (OPS-161). Commander only counts surplus arguments. */
function complaint(command: Command, { code, message }: CommanderError): string {
  if (code === 'commander.excessArguments') {
    const surplus = command.args[command.registeredArguments.length];
    return command.commands.length > 0
      ? `There is no command '${surplus}'.`
      : `The argument '${surplus}' is one too many.`;
  }
  const [what = '', suggestion = ''] = message.replace('error: ', '').split('\n');
  return `${what[0]?.toUpperCase()}${what.slice(1)}. ${suggestion.replace(/[()]/g, '')}`.trim();
}

function commandPath(command: Command): string[] {
  return command.parent ? [...commandPath(command.parent), command.name()] : [];
}

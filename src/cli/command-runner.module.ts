import { createRequire } from 'node:module';
import { type DynamicModule, Logger, Module, type Type } from '@nestjs/common';
import { Command } from 'commander';
import { CliUtilityService } from 'nest-commander/src/cli-utility.service.js';
import { CommandRunnerService } from 'nest-commander/src/command-runner.service.js';
import { Commander, CommanderOptions, Inquirer } from 'nest-commander/src/constants.js';
import { InquirerService } from 'nest-commander/src/inquirer.service.js';

/** Finds what nest-commander itself depends on, wherever it is installed. */
const requireOfCommander = createRequire(createRequire(import.meta.url).resolve('nest-commander'));
const { DiscoveryModule } = requireOfCommander('@golevelup/nestjs-discovery') as { DiscoveryModule: Type };

interface Prompts {
  prompt(questions: unknown, answers?: unknown): Promise<unknown>;
}

/** Inquirer, loaded when a question is asked. */
const prompts: Prompts = {
  prompt: (questions, answers) => (requireOfCommander('inquirer') as Prompts).prompt(questions, answers),
};

/**
 * The module of nest-commander around the application, with everything it provides. It differs in one thing: the
 * package loads inquirer, some 260 files with all of lodash, before any command runs, and only `@QuestionSet` needs it.
 * For the same reason our commands import the files of the package instead of its index.
 */
@Module({})
export class CommandRunnerModule {
  static forModule(root: DynamicModule): DynamicModule {
    const rethrow = (error: Error): never => {
      throw error;
    };
    return {
      global: true,
      module: CommandRunnerModule,
      imports: [root, DiscoveryModule],
      providers: [
        Logger,
        CommandRunnerService,
        InquirerService,
        CliUtilityService,
        { provide: Commander, useClass: Command },
        { provide: CommanderOptions, useValue: { cliName: 'roost', serviceErrorHandler: rethrow } },
        { provide: Inquirer, useValue: prompts },
      ],
      exports: [InquirerService, CliUtilityService, Commander],
    };
  }
}

import { createRequire } from 'node:module';
import { DiscoveryModule } from '@golevelup/nestjs-discovery';
import { type DynamicModule, Logger, Module } from '@nestjs/common';
import { Command } from 'commander';
import { CliUtilityService } from 'nest-commander/src/cli-utility.service.js';
import { CommandRunnerService } from 'nest-commander/src/command-runner.service.js';
import { Commander, CommanderOptions, Inquirer } from 'nest-commander/src/constants.js';
import { InquirerService as Questions } from 'nest-commander/src/inquirer.service.js';
import { InquirerService } from './commands.js';

const require = createRequire(import.meta.url);

interface Prompts {
  prompt(questions: unknown, answers?: unknown): Promise<unknown>;
}

/** Inquirer, loaded when a question is asked. */
const prompts: Prompts = {
  prompt: (questions, answers) => (require('inquirer') as Prompts).prompt(questions, answers),
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
        Questions,
        { provide: InquirerService, useExisting: Questions },
        CliUtilityService,
        { provide: Commander, useClass: Command },
        { provide: CommanderOptions, useValue: { cliName: 'roost', serviceErrorHandler: rethrow } },
        { provide: Inquirer, useValue: prompts },
      ],
      exports: [InquirerService, Questions, CliUtilityService, Commander],
    };
  }
}

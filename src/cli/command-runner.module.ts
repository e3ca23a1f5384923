import type { DynamicModule } from '@nestjs/common';
import { CommandRunnerModule as Runner, InquirerService as Questions } from 'nest-commander';
import { InquirerService } from './commands.js';

/**
 * The module of nest-commander around the application. An error that a command throws is passed on, because the exit
 * code depends on it (OPS-163).
 */
export class CommandRunnerModule {
  static forModule(root: DynamicModule): DynamicModule {
    const rethrow = (error: Error): never => {
      throw error;
    };
    const runner = Runner.forModule(root, { cliName: 'roost', serviceErrorHandler: rethrow });
    return {
      ...runner,
      providers: [...(runner.providers ?? []), { provide: InquirerService, useExisting: Questions }],
      exports: [...(runner.exports ?? []), InquirerService],
    };
  }
}

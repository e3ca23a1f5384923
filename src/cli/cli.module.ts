import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { CommandLine } from './command-line.js';
import { ServeCommand } from './serve.command.js';
import { Startup } from './startup.js';

/** What one can do with the application from the command line. */
@Module({
  imports: [CollectionsModule, AuthModule],
  providers: [CommandLine, Startup, ServeCommand],
  exports: [CommandLine, Startup],
})
export class CliModule {}

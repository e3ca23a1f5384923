import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { CollectionsModule } from '../collections/collections.module.js';
import { LogsModule } from '../logs/logs.module.js';
import { CommandLine } from './command-line.js';
import { ServeCommand } from './serve.command.js';
import { Startup } from './startup.js';
import {
  SuperuserCreateCommand,
  SuperuserDeleteCommand,
  SuperuserIpsCommand,
  SuperuserOtpCommand,
  SuperuserUpdateCommand,
  SuperuserUpsertCommand,
} from './superuser-subcommands.js';
import { SuperuserCommand } from './superuser.command.js';
import { Terminal } from './terminal.js';

/** What one can do with the application from the command line. */
@Module({
  imports: [CollectionsModule, AuthModule, LogsModule],
  providers: [
    CommandLine,
    Startup,
    Terminal,
    ServeCommand,
    SuperuserCommand,
    SuperuserCreateCommand,
    SuperuserUpdateCommand,
    SuperuserUpsertCommand,
    SuperuserDeleteCommand,
    SuperuserOtpCommand,
    SuperuserIpsCommand,
  ],
  exports: [CommandLine, Startup, Terminal],
})
export class CliModule {}

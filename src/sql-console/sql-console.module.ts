import { Module } from '@nestjs/common';
import { SqlConsoleController } from './sql-console.controller.js';
import { SqlConsoleService } from './sql-console.service.js';
import { SqlSnippetsController } from './sql-snippets.controller.js';
import { SqlSnippetsService } from './sql-snippets.service.js';

/** Statements of superusers on the database itself (chapter 06 G). */
@Module({
  controllers: [SqlConsoleController, SqlSnippetsController],
  providers: [SqlConsoleService, SqlSnippetsService],
})
export class SqlConsoleModule {}

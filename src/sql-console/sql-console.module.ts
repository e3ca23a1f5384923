import { Module } from '@nestjs/common';
import { SqlConsoleController } from './sql-console.controller.js';
import { SqlConsoleService } from './sql-console.service.js';

/** Statements of superusers on the database itself (chapter 06 G). */
@Module({ controllers: [SqlConsoleController], providers: [SqlConsoleService] })
export class SqlConsoleModule {}

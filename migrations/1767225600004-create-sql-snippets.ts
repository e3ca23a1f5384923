import type { MigrationInterface, QueryRunner } from 'typeorm';
import { spellingOf } from './spelling.js';

/** Statements that superusers keep under names for the SQL console (UI-81). */
export class CreateSqlSnippets1767225600004 implements MigrationInterface {
  readonly name = 'CreateSqlSnippets1767225600004';

  async up(runner: QueryRunner): Promise<void> {
    const { key, text } = spellingOf(runner);
    await runner.query(`CREATE TABLE "_sqlSnippets" ("name" ${key}, "query" ${text} DEFAULT '' NOT NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "_sqlSnippets"`);
  }
}

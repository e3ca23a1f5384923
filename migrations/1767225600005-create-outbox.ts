import type { MigrationInterface, QueryRunner } from 'typeorm';
import { spellingOf } from './spelling.js';

/**
 * What several processes that serve the same data need of it: the events that each has to hear of, in the order of their
 * commits, and numbers that change with the tables whose content is kept in memory, whoever changes them.
 */
export class CreateOutbox1767225600005 implements MigrationInterface {
  readonly name = 'CreateOutbox1767225600005';

  async up(runner: QueryRunner): Promise<void> {
    const { text, key, integer, counter, countChanges } = spellingOf(runner);
    await runner.query(`CREATE TABLE "_outbox" (
      "id" ${counter},
      "origin" ${text} NOT NULL,
      "name" ${text} NOT NULL,
      "data" ${text} NOT NULL
    )`);
    await runner.query(`CREATE TABLE "_versions" ("table" ${key}, "number" ${integer} NOT NULL)`);
    for (const table of ['_collections', '_params']) {
      await runner.query(`INSERT INTO "_versions" ("table", "number") VALUES ('${table}', 0)`);
      for (const statement of countChanges(table)) await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    const { stopCounting } = spellingOf(runner);
    for (const statement of ['_collections', '_params'].flatMap(stopCounting)) await runner.query(statement);
    await runner.query(`DROP TABLE "_versions"`);
    await runner.query(`DROP TABLE "_outbox"`);
  }
}

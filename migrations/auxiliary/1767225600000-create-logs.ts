import type { MigrationInterface, QueryRunner } from 'typeorm';
import { spellingOf } from '../spelling.js';

/** The log entries, and indexes for what they are looked up by: their level, their message, their hour. */
export class CreateLogs1767225600000 implements MigrationInterface {
  readonly name = 'CreateLogs1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    const { text, key, integer, searchedJson, insertionOrder, textIndex } = spellingOf(runner);
    await runner.query(`CREATE TABLE "_logs" (
      "id" ${key},
      "created" ${text} DEFAULT '' NOT NULL,
      "level" ${integer} DEFAULT 0 NOT NULL,
      "message" ${text} DEFAULT '' NOT NULL,
      "data" ${searchedJson} DEFAULT '{}' NOT NULL${insertionOrder}
    )`);
    await runner.query(`CREATE INDEX "idx__logs_level" ON "_logs" ("level")`);
    await runner.query(textIndex('idx__logs_message', '_logs', 'message'));
    await runner.query(`CREATE INDEX "idx__logs_hour" ON "_logs" (substr("created", 1, 13))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "_logs"`);
  }
}

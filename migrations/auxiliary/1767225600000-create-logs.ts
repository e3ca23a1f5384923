import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The log entries, and indexes for what they are looked up by: their level, their message, their hour. */
export class CreateLogs1767225600000 implements MigrationInterface {
  readonly name = 'CreateLogs1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "_logs" (
      "id" TEXT PRIMARY KEY NOT NULL,
      "created" TEXT DEFAULT '' NOT NULL,
      "level" INTEGER DEFAULT 0 NOT NULL,
      "message" TEXT DEFAULT '' NOT NULL,
      "data" JSON DEFAULT '{}' NOT NULL
    )`);
    await runner.query(`CREATE INDEX "idx__logs_level" ON "_logs" ("level")`);
    await runner.query(`CREATE INDEX "idx__logs_message" ON "_logs" ("message")`);
    await runner.query(`CREATE INDEX "idx__logs_hour" ON "_logs" (substr("created", 1, 13))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "_logs"`);
  }
}

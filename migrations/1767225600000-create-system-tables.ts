import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables of the application itself: definitions of collections, stored parameters, history of user migrations. */
export class CreateSystemTables1767225600000 implements MigrationInterface {
  readonly name = 'CreateSystemTables1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "_collections" (
      "id" TEXT PRIMARY KEY NOT NULL,
      "system" BOOLEAN DEFAULT FALSE NOT NULL,
      "type" TEXT DEFAULT 'base' NOT NULL,
      "name" TEXT NOT NULL,
      "fields" JSON DEFAULT '[]' NOT NULL,
      "indexes" JSON DEFAULT '[]' NOT NULL,
      "listRule" TEXT DEFAULT NULL,
      "viewRule" TEXT DEFAULT NULL,
      "createRule" TEXT DEFAULT NULL,
      "updateRule" TEXT DEFAULT NULL,
      "deleteRule" TEXT DEFAULT NULL,
      "options" JSON DEFAULT '{}' NOT NULL,
      "created" TEXT DEFAULT '' NOT NULL,
      "updated" TEXT DEFAULT '' NOT NULL
    )`);
    await runner.query(`CREATE INDEX "idx__collections_type" ON "_collections" ("type")`);
    await runner.query(`CREATE TABLE "_params" (
      "id" TEXT PRIMARY KEY NOT NULL,
      "value" TEXT DEFAULT '' NOT NULL,
      "created" TEXT DEFAULT '' NOT NULL,
      "updated" TEXT DEFAULT '' NOT NULL
    )`);
    await runner.query(`CREATE TABLE "_migrations" (
      "file" TEXT PRIMARY KEY NOT NULL,
      "applied" INTEGER NOT NULL
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['_migrations', '_params', '_collections']) await runner.query(`DROP TABLE "${table}"`);
  }
}

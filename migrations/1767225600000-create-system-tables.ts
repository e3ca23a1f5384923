import type { MigrationInterface, QueryRunner } from 'typeorm';
import { spellingOf } from './spelling.js';

/** The tables of the application itself: definitions of collections, stored parameters, history of user migrations. */
export class CreateSystemTables1767225600000 implements MigrationInterface {
  readonly name = 'CreateSystemTables1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    const { text, key, integer, json, insertionOrder } = spellingOf(runner);
    await runner.query(`CREATE TABLE "_collections" (
      "id" ${key},
      "system" BOOLEAN DEFAULT FALSE NOT NULL,
      "type" ${text} DEFAULT 'base' NOT NULL,
      "name" ${text} NOT NULL,
      "fields" ${json} DEFAULT '[]' NOT NULL,
      "indexes" ${json} DEFAULT '[]' NOT NULL,
      "listRule" ${text} DEFAULT NULL,
      "viewRule" ${text} DEFAULT NULL,
      "createRule" ${text} DEFAULT NULL,
      "updateRule" ${text} DEFAULT NULL,
      "deleteRule" ${text} DEFAULT NULL,
      "options" ${json} DEFAULT '{}' NOT NULL,
      "created" ${text} DEFAULT '' NOT NULL,
      "updated" ${text} DEFAULT '' NOT NULL${insertionOrder}
    )`);
    await runner.query(`CREATE INDEX "idx__collections_type" ON "_collections" ("type")`);
    await runner.query(`CREATE TABLE "_params" (
      "id" ${key},
      "value" ${text} DEFAULT '' NOT NULL,
      "created" ${text} DEFAULT '' NOT NULL,
      "updated" ${text} DEFAULT '' NOT NULL
    )`);
    await runner.query(`CREATE TABLE "_migrations" (
      "file" ${key},
      "applied" ${integer} NOT NULL
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['_migrations', '_params', '_collections']) await runner.query(`DROP TABLE "${table}"`);
  }
}

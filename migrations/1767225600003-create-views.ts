import type { MigrationInterface, QueryRunner } from 'typeorm';
import { spellingOf } from './spelling.js';

/** Filters, orders and columns of record lists that superusers keep under names. Without an owner they are everyone's. */
export class CreateViews1767225600003 implements MigrationInterface {
  readonly name = 'CreateViews1767225600003';

  async up(runner: QueryRunner): Promise<void> {
    const { text, key } = spellingOf(runner);
    const filled = `${text} DEFAULT '' NOT NULL`;
    await runner.query(`CREATE TABLE "_views" (
      "id" ${key},
      "collection" ${filled},
      "owner" ${filled},
      "name" ${filled},
      "filter" ${filled},
      "sort" ${filled},
      "columns" ${filled}
    )`);
    await runner.query(`CREATE INDEX "idx__views_collection" ON "_views" ("collection")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "_views"`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { spellingOf } from './spelling.js';

/**
 * The files and folders that are still to be deleted from the storage. Numbers are never used twice: whoever works the
 * list off goes by them.
 */
export class CreateFileRemovals1767225600002 implements MigrationInterface {
  readonly name = 'CreateFileRemovals1767225600002';

  async up(runner: QueryRunner): Promise<void> {
    const { text, counter } = spellingOf(runner);
    await runner.query(`CREATE TABLE "_file_removals" (
      "id" ${counter},
      "name" ${text} NOT NULL
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "_file_removals"`);
  }
}

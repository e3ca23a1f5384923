import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What several instances remember for a short time, where one database is all they share. A crash of the server may empty
 * the table, which is why it is fast. There is none on SQLite: one machine has the memory of one process for it.
 */
export class CreateEphemeral1767225600010 implements MigrationInterface {
  readonly name = 'CreateEphemeral1767225600010';

  async up(runner: QueryRunner): Promise<void> {
    if (runner.connection.options.type !== 'postgres') return;
    await runner.query(`CREATE UNLOGGED TABLE "_ephemeral" (
      "space" TEXT COLLATE "C" NOT NULL,
      "key" BYTEA NOT NULL,
      "value" TEXT,
      "count" BIGINT,
      "ends" TIMESTAMPTZ NOT NULL,
      PRIMARY KEY ("space", "key")
    ) WITH (fillfactor = 70)`);
    await runner.query(`CREATE INDEX "idx__ephemeral_ends" ON "_ephemeral" ("ends")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    if (runner.connection.options.type === 'postgres') await runner.query(`DROP TABLE "_ephemeral"`);
  }
}

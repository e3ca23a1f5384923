import type { MigrationInterface, QueryRunner } from 'typeorm';
import { spellingOf } from './spelling.js';

const ID = 'pbc_3620448019';

/** Statements that superusers keep under names for the SQL console (UI-81). */
export class CreateSqlSnippets1767225600004 implements MigrationInterface {
  readonly name = 'CreateSqlSnippets1767225600004';

  async up(runner: QueryRunner): Promise<void> {
    const now = new Date().toISOString().replace('T', ' ');
    const { key, text, insertionOrder, statement } = spellingOf(runner);
    const texts = ['name', 'query', 'created', 'updated'].map((name) => `"${name}" ${text} DEFAULT '' NOT NULL`);
    await runner.query(`CREATE TABLE "_sqlSnippets" ("id" ${key}, ${texts.join(', ')}${insertionOrder})`);
    await runner.query(statement(INDEX));
    await runner.query(
      statement(`INSERT INTO "_collections"
        ("id", "system", "type", "name", "fields", "indexes", "options", "created", "updated")
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`),
      [ID, 1, 'base', '_sqlSnippets', JSON.stringify(FIELDS), JSON.stringify([INDEX]), '{}', now, now],
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "_sqlSnippets"`);
    await runner.query(spellingOf(runner).statement(`DELETE FROM "_collections" WHERE "id" = ?`), [ID]);
  }
}

const INDEX = 'CREATE UNIQUE INDEX `idx_sqlSnippets_name` ON `_sqlSnippets` (`name`)';

const common = (type: string, name: string, id: string) => ({
  id,
  name,
  type,
  system: true,
  hidden: false,
  presentable: name === 'name',
  required: type === 'text',
  help: '',
});

const text = (name: string, id: string, own: object) => ({
  ...common('text', name, id),
  min: 0,
  max: 0,
  pattern: '',
  autogeneratePattern: '',
  primaryKey: false,
  ...own,
});

const autodate = (name: string, id: string, onUpdate: boolean) => ({
  ...common('autodate', name, id),
  onCreate: true,
  onUpdate,
});

const FIELDS = [
  text('id', 'text3208210256', {
    min: 15,
    max: 15,
    pattern: '^[a-z0-9]+$',
    autogeneratePattern: '[a-z0-9]{15}',
    primaryKey: true,
  }),
  text('name', 'text1579384326', { max: 100 }),
  text('query', 'text616412651', { max: 5000 }),
  autodate('created', 'autodate2990389176', false),
  autodate('updated', 'autodate3332085495', true),
];

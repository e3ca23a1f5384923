// A team's program with entities of its own, as they are in the edition that `EDITION` names.
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { runRoost } from 'roost';
import { EntitySchema } from 'typeorm';

const second = process.env.EDITION === '2';

const Author = new EntitySchema({
  name: 'Author',
  tableName: 'authors',
  columns: {
    id: { type: 'integer', primary: true, generated: true },
    name: { type: 'text', unique: true },
    born: { type: 'datetime', nullable: true },
    made: { type: 'datetime', createDate: true },
    notes: { type: 'simple-json', nullable: true },
    // The table is made anew for it: a column is changed, and one is added with a limit.
    ...(second && { rank: { type: 'integer', default: 1 } }),
  },
  checks: second ? [{ name: 'rank_is_positive', expression: '"rank" > 0' }] : [],
});

const Book = new EntitySchema({
  name: 'Book',
  tableName: 'books',
  columns: {
    id: { type: 'integer', primary: true, generated: true },
    title: { type: 'text', default: 'a `new` one' },
    ...(second && { pages: { type: 'integer', nullable: true } }),
  },
  relations: { author: { type: 'many-to-one', target: 'Author', onDelete: 'CASCADE' } },
  indices: [{ name: 'books_by_title', columns: ['title'] }],
});

/** A table of Roost's that somebody reads by TypeORM. */
const User = new EntitySchema({
  name: 'User',
  tableName: 'Users',
  columns: { id: { type: 'text', primary: true }, nickname: { type: 'text' } },
});

const Titles = new EntitySchema({
  name: 'Titles',
  tableName: 'titles',
  type: 'view',
  expression: 'SELECT "title" FROM "books"',
  columns: { title: { type: 'text' } },
});

const entities = [Author, Book, User, ...(second ? [Titles] : [])];

class LibraryModule {}
Module({ imports: [TypeOrmModule.forFeature(entities)] })(LibraryModule);

await runRoost({ imports: [LibraryModule] });

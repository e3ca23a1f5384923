/** Why something of the suite is not for PostgreSQL, in the words of docs/scaling.md. */
const FILES = 'It looks into the files of SQLite.';
const TURNS = 'It is about writers that take turns in the order of arrival, which is what SQLite has them do.';
const OWN_SQL = 'It writes statements of its own, in the words of SQLite.';
const PROCESSES = 'It is about processes that can be killed, in which SQLite answers what may be slow.';
const OTHER_PROCESS = 'It has another process write to the same database, of which PostgreSQL does not tell yet.';

/**
 * What `npm run test:postgres` leaves out, with the reason: whole files, or tests of a file by the beginning of their
 * names.
 */
export const NOT_ON_POSTGRES: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  'test/records/many-writers.spec.ts': TURNS,
  'test/records/locked-by-another-program.spec.ts': FILES,
  'test/collections/changes-by-another-process.spec.ts': OTHER_PROCESS,
  'test/files/killed-upload.spec.ts': FILES,
  'test/batch/killed.spec.ts': FILES,
};

export const REASONS: readonly string[] = [FILES, TURNS, OWN_SQL, PROCESSES, OTHER_PROCESS];

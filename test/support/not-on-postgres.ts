/** Why something of the suite is not for PostgreSQL, in the words of docs/scaling.md. */
export const REASONS = {
  cutOff: 'It is about queries that SQLite could not cut off inside a transaction, where PostgreSQL can.',
  files: 'It looks into the files of SQLite, or kills a process that has its own.',
  turns: 'It is about writers that take turns in the order of arrival, which is what SQLite has them do.',
  sql: 'It runs statements of its own, or compares those that were run, in the words of SQLite.',
  plans: 'It reads the query plans of SQLite.',
  views: 'Its views are queries that only SQLite understands.',
  sound: 'It stores what is no JSON, which a column of PostgreSQL refuses.',
  processes:
    'It is about the processes in which SQLite answers what may be slow, or about what is kept of its answers.',
  otherProcess: 'It starts another process on the data directory, which knows nothing of the database.',
  npm: 'It is about the package as npm installs it, on the database that needs nothing.',
  counts: 'Its rule counts other records: of creates at the same moment none sees the others there.',
} as const;

/**
 * What `npm run test:postgres` leaves out, with the reason: whole files, or tests of a file by a part of their names.
 */
export const NOT_ON_POSTGRES: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  'test/auth/confirmations.spec.ts': { 'AUTH-1104 prove the address they were sent to': REASONS.sql },
  'test/auth/password-sign-in.spec.ts': { 'AUTH-207 one that plain SQL has deleted': REASONS.sql },
  'test/auth/used-once.spec.ts': { 'whoever reads what another has used in the meantime': REASONS.sql },
  'test/auth/secrets-in-views.spec.ts': {
    'COL-134 AUTH-607 are shown to nobody, whatever expression': REASONS.views,
    'COL-134 hides what is made of secrets of system tables': REASONS.views,
    'COL-134 shows what only stands beside secrets': REASONS.views,
  },
  'test/backups/backups-api.spec.ts': { 'are made without logs that are damaged': REASONS.files },
  'test/backups/killed-restore.spec.ts': REASONS.files,
  'test/batch/killed.spec.ts': REASONS.files,
  'test/cli/damaged-directories.spec.ts': {
    'OPS-198': REASONS.files,
    'OPS-181': REASONS.files,
    'COL-160 a collection with the fields [{"name": is named': REASONS.sound,
  },
  'test/collections/changes-beside-each-other.spec.ts': {
    'COL-160 OPS-175 what another process': REASONS.otherProcess,
  },
  'test/collections/changes-by-another-process.spec.ts': REASONS.otherProcess,
  'test/collections/definitions-are-validated.spec.ts': {
    'COL-24 may change its letter case only': REASONS.sql,
    'COL-124 COL-111 a unique index over repeated values': REASONS.sql,
    'COL-120 may have texts in double quotes': REASONS.sql,
  },
  'test/collections/endpoints.spec.ts': {
    'COL-102 shows fields and first records': REASONS.views,
    'COL-102 keeps the order of columns whose names are numbers': REASONS.views,
  },
  'test/collections/large-tables.spec.ts': REASONS.processes,
  'test/collections/query-builder-quotes.spec.ts': {
    'are taken in the indexes of': REASONS.sql,
    'are taken in what is imported': REASONS.views,
  },
  'test/collections/system-collections.spec.ts': { 'COL-90 a deleted auth collection': REASONS.sql },
  'test/collections/table-follows-definition.spec.ts': REASONS.sql,
  'test/collections/tables-are-altered-in-place.spec.ts': REASONS.files,
  'test/collections/types-of-view-columns.spec.ts': REASONS.views,
  'test/collections/views-follow-their-tables.spec.ts': {
    'COL-130 COL-133 has the fields of its query': REASONS.views,
    'COL-133 keeps the ids of its fields over saves': REASONS.views,
    'COL-134 hides at start what a version before': REASONS.sql,
    'COL-132 always has text for an id': REASONS.sql,
    'COL-132 finds a record by id through the index': REASONS.plans,
    'COL-112 COL-115 lets two views': REASONS.sql,
    'COL-131 SCALE-3 is stored unrun where it could not be cut off': REASONS.cutOff,
  },
  'test/collections/while-a-change-is-committed.spec.ts': REASONS.turns,
  'test/extending/installed.spec.ts': REASONS.npm,
  'test/extending/packed.spec.ts': REASONS.npm,
  'test/files/deletions-that-failed.spec.ts': REASONS.otherProcess,
  'test/files/files-follow-their-records.spec.ts': { 'FILE-3 a name that is a path': REASONS.sql },
  'test/files/killed-upload.spec.ts': REASONS.files,
  'test/files/saves-that-fail-late.spec.ts': REASONS.sql,
  'test/files/who-may-read-files.spec.ts': { 'FS-63 costs one statement': REASONS.sql },
  'test/pocketbase-import/killed.spec.ts': REASONS.files,
  'test/logs/log-process.spec.ts': REASONS.processes,
  'test/logs/request-log.spec.ts': { 'OPS-82 gives the space back when maxDays': REASONS.sql },
  'test/realtime/identity.spec.ts': { 'RT-34 OPS-175 a superuser whose password': REASONS.otherProcess },
  'test/records/expensive-rules.spec.ts': {
    'are asked before the transaction': REASONS.processes,
    'hold for the record as it is written': REASONS.counts,
  },
  'test/records/lists.spec.ts': { 'LIST-3 remembers no total of a view that changes': REASONS.views },
  'test/records/locked-by-another-program.spec.ts': REASONS.files,
  'test/records/many-writers.spec.ts': REASONS.turns,
  'test/records/query-plans.spec.ts': REASONS.plans,
  'test/records/repeated-lists.spec.ts': { 'show every change at once, whoever made it': REASONS.otherProcess },
  'test/records/shared-answers.spec.ts': { 'hide a field that another process has hidden': REASONS.otherProcess },
  'test/user-migrations/entities.spec.ts': REASONS.otherProcess,
  'test/user-migrations/user-migrations.spec.ts': {
    "ATTACH ':memory:' AS other": REASONS.sql,
    "VACUUM INTO 'copy.db'": REASONS.sql,
  },
  'test/insights/insights.spec.ts': { 'UI-80 tells sizes, streams and advice': REASONS.files },
  'test/sql-console/sql-console.spec.ts': {
    'OPS-147 gives columns and rows': REASONS.sql,
    'CREATE TABLE counted (n)': REASONS.sql,
    'PRAGMA table_info(posts)': REASONS.sql,
    'OPS-147 tells that the disk is full': REASONS.sql,
    'OPS-147 writes with every word': REASONS.sql,
  },
  'test/settings/settings.spec.ts': { 'OPS-9 are one row, made at the start': REASONS.sql },
};

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What takes longest, and is begun with: whatever is left for the end has the machine for itself, of which it uses a
 * half.
 */
const LONGEST = [
  'test/admin/every-screen',
  'test/admin/records',
  'test/extending/installed',
  'test/backups/backups-api',
  'test/user-migrations/user-migrations',
  'test/transfer/backups-on-postgres',
  'test/instances/shared-directory',
  'test/instances/cluster',
  'test/faults/killed-server',
  'test/backups/restore',
  'test/cli/db-copy',
  'test/cli/running-server',
  'test/transfer/database-copy',
  'test/collections/one-version-for-each-request',
  'test/cluster/faults',
  'test/backups/killed-restore',
  'test/cli/process',
  'test/pocketbase-import/killed',
  'test/faults/killed-restore',
  'test/cli/operations',
  'test/user-migrations/entities',
  'test/storage/s3-file-storage',
  'test/support/secrets/watch-roost',
  'test/faults/killed-backup',
  'test/sql/oracle/oracle',
  'test/database/sqlite3',
  'test/faults/killed-migration',
  'test/cli/terminal',
  'test/database/better-sqlite3',
  'test/faults/killed-copy',
  'test/cluster/rolling-upgrade',
  'test/database/slow-reads',
  'test/support/secrets/watch-process',
  'test/cli/files-copy',
  'test/extending/packed',
];

/** The order of spec files on a machine that has not run them before. On others Vitest knows how long each one took. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((path) => moduleId.includes(`/${path}.`));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

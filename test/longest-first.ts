import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What takes longest, and is begun with: whatever is left for the end has the machine for itself, of which it uses a
 * half.
 */
const LONGEST = [
  'test/admin/every-screen',
  'test/admin/records',
  'test/backups/killed-restore',
  'test/cli/process',
  'test/backups/restore',
  'test/cli/operations',
  'test/extending/installed',
  'test/cluster/faults',
  'test/cli/running-server',
  'test/transfer/database-copy',
  'test/transfer/backups-on-postgres',
  'test/pocketbase-import/killed',
  'test/faults/killed-copy',
  'test/faults/killed-migration',
  'test/instances/cluster',
  'test/cluster/rolling-upgrade',
  'test/collections/one-version-for-each-request',
  'test/database/sqlite3',
  'test/database/better-sqlite3',
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

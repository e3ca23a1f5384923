import { Database } from '../../src/database/database.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { FAULT_COLLECTIONS, WIDE_ROWS } from './workload.js';

/** Makes a data directory with the collections that are written to; the token of a superuser of it. */
export async function prepareDirectory(
  dir: string,
  more: (roost: TestRoost, token: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const roost = await startRoost({ dir });
  try {
    const token = await roost.createSuperuser();
    await roost.createCollections(...FAULT_COLLECTIONS);
    const settings = roost.app.get(SettingsService, { strict: false });
    // Time goes by for a process that stands still, too.
    await settings.patch({ batch: { enabled: true, maxRequests: 1000, timeout: 600 } });
    await roost.app.get(Database, { strict: false }).run({
      sql:
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${WIDE_ROWS})` +
        ` INSERT INTO wide (id, title, tags) SELECT printf('%015d', n), 'wide ' || n, 'a' FROM numbers`,
      params: [],
      writes: ['wide'],
    });
    await more(roost, token);
    return token;
  } finally {
    await roost.close();
  }
}

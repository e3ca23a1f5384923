import PocketBase from 'pocketbase';
import type { RoostImport } from '../../../src/roost-options.js';
import type { TestRoost } from '../../../src/testing/index.js';
import { AdminFiles } from '../../../src/admin/admin-files.js';
import { startRoost } from '../../support/roost.js';
import type { RunningServer } from './server.js';

/** Roost with a team's modules, in the process of the test, with the client that was built. */
export class TeamServer implements RunningServer {
  private constructor(
    private readonly roost: TestRoost,
    readonly api: PocketBase,
    readonly url: string,
  ) {}

  static async start(imports: readonly RoostImport[]): Promise<TeamServer> {
    const built = new AdminFiles(new URL('../../../dist/admin/', import.meta.url));
    if (!built.scriptHashes.length) throw new Error('Build the client first: npm run build');
    const roost = await startRoost({
      imports: [...imports],
      override: (builder) => builder.overrideProvider(AdminFiles).useValue(built),
    });
    const token = await roost.createSuperuser();
    const url = await roost.listen();
    const api = new PocketBase(url);
    api.autoCancellation(false);
    api.authStore.save(token, null);
    await api.collection('_superusers').authRefresh();
    return new TeamServer(roost, api, url);
  }

  async stop(): Promise<void> {
    await this.roost.close();
  }
}

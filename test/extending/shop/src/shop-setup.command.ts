import { CollectionsService, Command, CommandRunner } from 'roost';
import { SHOP_COLLECTIONS } from './shop-collections.js';

/** `node dist/main shop-setup`, also beside a running server. */
@Command({ name: 'shop-setup', description: 'Creates the collections of the shop.' })
export class ShopSetupCommand extends CommandRunner {
  constructor(private readonly collections: CollectionsService) {
    super();
  }

  async run(): Promise<void> {
    await this.collections.import(SHOP_COLLECTIONS);
    process.stdout.write(`The shop has ${SHOP_COLLECTIONS.length} collections.\n`);
  }
}

import assert from 'node:assert/strict';
import { RecordsService } from 'roost';
import { createTestRoost } from 'roost/testing';
import { SHOP_COLLECTIONS } from './shop-collections.js';
import { ShopModule } from './shop.module.js';

// `node dist/smoke`: the shortest test of the shop, without a test runner.
const roost = await createTestRoost({ imports: [ShopModule.forRoot({ webhookSecret: 'secret' })] });
try {
  await roost.createCollections(...SHOP_COLLECTIONS);
  const records = roost.app.get(RecordsService, { strict: false });
  const lamp = await records.create('products', { name: 'A Lamp', sku: 'la-0001', price: 30, stock: 5 });
  await records.create('customers', { email: 'ann@example.com', password: 'ann-password' });
  const token = await roost.signIn('customers', 'ann@example.com');
  const answer = await roost.inject({ url: `/api/shop/orders/${lamp.id}`, token, body: { quantity: 2 } });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.total, 60);
  assert.equal((await records.findOne('products', lamp.id)).get('stock'), 3);
  process.stdout.write('The shop works.\n');
} finally {
  await roost.close();
}

/** What the shop stores. A running shop gets it from the `shop-setup` command, a test from `createCollections`. */
export const SHOP_COLLECTIONS: Record<string, unknown>[] = [
  {
    name: 'products',
    type: 'base',
    listRule: '',
    viewRule: '',
    fields: [
      { name: 'name', type: 'text', required: true },
      { name: 'slug', type: 'text' },
      { name: 'sku', type: 'sku', required: true },
      { name: 'price', type: 'number', min: 0 },
      { name: 'cost', type: 'number', min: 0 },
      { name: 'stock', type: 'number', onlyInt: true, min: 0 },
    ],
  },
  {
    name: 'customers',
    type: 'auth',
    createRule: '',
    viewRule: 'id = @request.auth.id',
    fields: [{ name: 'name', type: 'text' }],
  },
  {
    name: 'orders',
    type: 'base',
    listRule: 'customer = @request.auth.id',
    viewRule: 'customer = @request.auth.id',
    fields: [
      { name: 'customer', type: 'text', required: true },
      { name: 'product', type: 'text', required: true },
      { name: 'quantity', type: 'number', onlyInt: true, min: 1 },
      { name: 'total', type: 'number' },
      { name: 'state', type: 'select', values: ['open', 'paid'], maxSelect: 1 },
    ],
  },
  {
    name: 'reports',
    type: 'base',
    fields: [
      { name: 'orders', type: 'number' },
      { name: 'revenue', type: 'number' },
    ],
  },
];

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RoostProcess } from '../support/roost-process.js';
import { PackedWorkspace } from './packed-workspace.js';

const SECRET = 'webhook-secret';
const TIMEOUT = 180_000;

let workspace: PackedWorkspace;
let compiled: string;

beforeAll(async () => {
  workspace = await PackedWorkspace.create();
  compiled = await workspace.compile();
}, TIMEOUT);
afterAll(() => workspace?.remove());

describe('a workspace that installs the package', () => {
  it('EXT-2 EXT-52 compiles against the types of both entry points', async () => {
    expect(compiled).toBe('');
    const files = await workspace.packedFiles();
    expect(files).toEqual(expect.arrayContaining(['dist/index.d.ts', 'dist/testing/index.d.ts', 'dist/main.js']));
    expect(files).toEqual(expect.arrayContaining(['docs/extending.md', 'docs/reference/extending.md']));
    expect(files.filter((file) => /^(?:src|test|node_modules)\b|\.spec\./.test(file))).toEqual([]);
    // Loading hundreds of modules one by one would be felt at every start.
    expect(files).toContain('dist/records/records.service.d.ts');
    expect(files).not.toContain('dist/records/records.service.js');
  });

  it(
    'EXT-5 lists its own commands in the help, next to the built-in ones',
    async () => {
      const { code, stdout } = await workspace.run('main', ['--help']).finished();
      expect(code).toBe(0);
      expect(stdout).toMatch(/^ +serve\b/m);
      expect(stdout).toMatch(/^ +superuser\b/m);
      expect(stdout).toMatch(/^ +shop-setup +Creates the collections of the shop\./m);
    },
    TIMEOUT,
  );

  it(
    'EXT-1 EXT-2 EXT-5 serves Roost with its modules, and its command works beside the running server',
    async () => {
      const env = { SHOP_WEBHOOK_SECRET: SECRET };
      const superuser = await workspace
        .run('main', ['superuser', 'create', 'root@example.com', '1234567890'])
        .finished();
      expect(superuser).toMatchObject({ code: 0 });
      const server = workspace.run('main', ['serve', '--http', '127.0.0.1:0'], env);
      try {
        const address = await server.address();
        const setup = await workspace.run('main', ['shop-setup'], env).finished();
        expect(setup).toMatchObject({ code: 0, stdout: 'The shop has 4 collections.\n' });
        await useShop(address);
      } finally {
        await stopped(server);
      }
    },
    TIMEOUT,
  );

  it(
    'EXT-50 runs tests of its own through roost/testing',
    async () => {
      const { code, stdout, stderr } = await workspace.run('smoke', []).finished();
      expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'The shop works.\n' });
    },
    TIMEOUT,
  );

  it(
    'EXT-52 is told by name of a package of which there are two copies',
    async () => {
      const copy = await workspace.copyForRoost('@nestjs/core');
      const { code, stderr } = await workspace.run('main', ['--help']).finished();
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Error: There are two copies of @nestjs\/core, .* Install one version of it\.$/m);
      expect(stderr).toContain(copy);
    },
    TIMEOUT,
  );
});

/** Everything over the network, as a front end and a payment provider would. */
async function useShop(address: string): Promise<void> {
  const send = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const init = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    };
    const response = await fetch(`${address}${path}`, init);
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  await listed(`${address}/api/collections/products/records`);
  const login = { identity: 'root@example.com', password: '1234567890' };
  const root = (await send('/api/collections/_superusers/auth-with-password', login)).body.token as string;
  const product = { name: 'A Lamp', sku: 'la-0001', price: 30, stock: 2 };
  const lamp = await send('/api/collections/products/records', product, { authorization: root });
  expect(lamp).toMatchObject({ status: 200, body: { slug: 'a-lamp', sku: 'LA-0001' } });
  const account = { email: 'ann@example.com', password: 'ann-password', passwordConfirm: 'ann-password' };
  expect((await send('/api/collections/customers/records', account)).status).toBe(200);
  const credentials = { identity: account.email, password: account.password };
  const ann = (await send('/api/collections/customers/auth-with-password', credentials)).body.token as string;
  const order = () => send(`/api/shop/orders/${lamp.body.id}`, { quantity: 1 }, { authorization: ann });
  const orders = await Promise.all([order(), order(), order()]);
  expect(orders.map(({ status }) => status).sort()).toEqual([201, 201, 409]);
  const payment = { order: orders.find(({ status }) => status === 201)!.body.id };
  const signature = createHmac('sha256', SECRET).update(JSON.stringify(payment)).digest('hex');
  expect((await send('/api/shop/payments/webhook', payment, { 'x-signature': 'ab' })).status).toBe(401);
  expect((await send('/api/shop/payments/webhook', payment, { 'x-signature': signature })).status).toBe(204);
}

/** A running server sees what another process changed after half a second at most. */
async function listed(url: string): Promise<void> {
  await expect.poll(async () => (await fetch(url)).status, { timeout: 20_000 }).toBe(200);
}

async function stopped(server: RoostProcess): Promise<void> {
  const { code } = await server.stop();
  expect(code).toBe(0);
}

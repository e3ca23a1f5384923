import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StartError } from '../../src/config/start.error.js';
import { NotifyBus } from '../../src/database/postgres/notify-bus.js';
import { instanceBusContract } from '../contracts/instance-bus.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { freePort } from '../support/free-port.js';

describe.skipIf(PostgresCluster.programs === undefined)('messages through PostgreSQL', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await PostgresCluster.start();
  });
  afterAll(() => cluster.stop());

  instanceBusContract('PostgreSQL', async () => {
    const url = await cluster.newDatabase();
    let instances = 0;
    return {
      connect: () => new NotifyBus(url, `instance${++instances}`),
      crash: () => cluster.pause(),
      restart: () => cluster.resume(),
      freeze: () => cluster.freeze(),
      thaw: () => cluster.thaw(),
      close: async () => cluster.thaw(),
    };
  });

  it('SCALE-20 says in one line that it cannot be used', async () => {
    const bus = new NotifyBus(`postgres://ann:secret@127.0.0.1:${await freePort()}/none`, 'instance');
    const error = (await bus.open().catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(StartError);
    expect(error.message).toMatch(/^The database cannot carry messages between instances: [^\n]*ECONNREFUSED/);
    expect(error.message).not.toContain('secret');
    await bus.close();
  });
});

import { Injectable, Module } from '@nestjs/common';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BeforeServe, createRoost, RecordsModule, RecordsService, type ServeEvent } from 'roost';
import { afterEach, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

const dir = mkdtempSync(join(tmpdir(), 'roost-starting-'));
const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const app of closing.splice(0)) await app.close();
  rmSync(dir, { recursive: true, force: true });
});

const seen: string[] = [];

@Injectable()
class Greeting {
  constructor(private readonly records: RecordsService) {}

  @BeforeServe()
  async count({ config }: ServeEvent): Promise<void> {
    seen.push(`${await this.records.count('users')} users, ${config.dir === '' ? 'nowhere' : 'somewhere'}`);
  }
}

@Module({ imports: [RecordsModule], providers: [Greeting] })
class GreetingModule {}

@Injectable()
class Refusal {
  @BeforeServe()
  refuse(): never {
    throw new Error('The other system cannot be reached.');
  }
}

@Module({ providers: [Refusal] })
class RefusalModule {}

const config = { ROOST_DIR: join(dir, 'data'), ROOST_MIGRATIONS_DIR: join(dir, 'migrations') };

describe('starting', () => {
  it('EXT-3 createRoost gives an application that is not started, and listening starts it', async () => {
    seen.length = 0;
    const app = await createRoost({ imports: [GreetingModule], config });
    closing.push(app);
    expect(seen).toEqual([]);
    await app.listen(0, '127.0.0.1');
    expect(seen).toEqual(['0 users, somewhere']);
    const { port } = app.getHttpServer().address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/api/collections/users/auth-methods`);
    expect(answer.status).toBe(200);
    const users = app.get(RecordsService, { strict: false });
    await users.create('users', { email: 'ann@example.com', password: 'ann-password' });
    expect(await users.count('users')).toBe(1);
  });

  it('EXT-3 a second one does not start on the same data directory', async () => {
    const first = await createRoost({ config });
    closing.push(first);
    await first.listen(0, '127.0.0.1');
    const second = await createRoost({ config });
    closing.push(second);
    await expect(second.listen(0, '127.0.0.1')).rejects.toThrow(/in use|another|running|locked/i);
  });

  it('EXT-31 BeforeServe runs once at every start, when the data can be read', async () => {
    seen.length = 0;
    const roost = await startRoost({ imports: [GreetingModule] });
    closing.push(roost);
    expect(seen).toEqual(['0 users, somewhere']);
    await roost.listen();
    expect(seen).toHaveLength(1);
  });

  it('EXT-31 a throw in BeforeServe stops the start, and is told as it is', async () => {
    await expect(startRoost({ imports: [RefusalModule] })).rejects.toThrow('The other system cannot be reached.');
  });
});

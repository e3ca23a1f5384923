// @module-tag alone: what it declares for TypeORM is part of every application that follows in its process.
import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Global, Injectable, Module, type INestApplicationContext, type OnApplicationShutdown } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, Repository } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOST_CONFIG } from '../../src/config/roost-config.js';
import { AUXILIARY, DatabaseModule } from '../../src/database/database.module.js';
import { Database } from '../../src/database/database.js';
import { InstancesModule } from '../../src/instances/instances.module.js';
import { LoneInstance } from '../../src/instances/lone-instance.js';
import { testConfig } from './test-config.js';
import { sql } from './temporary-database.js';

@Entity('plants')
class Plant {
  @PrimaryGeneratedColumn() id!: number;
  @Column({ type: 'text', unique: true }) name!: string;
  @Column({ type: 'boolean', default: false }) wild!: boolean;
  @Column({ type: 'datetime', nullable: true }) planted!: Date | null;
}

@Entity('visits')
class Visit {
  @PrimaryGeneratedColumn() id!: number;
  @Column({ type: 'text' }) page!: string;
}

@Injectable()
class Garden implements OnApplicationShutdown {
  lastWords?: string;

  constructor(
    @InjectRepository(Plant) readonly plants: Repository<Plant>,
    @InjectRepository(Visit, AUXILIARY) readonly visits: Repository<Visit>,
    readonly dataSource: DataSource,
    readonly database: Database,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    if (this.lastWords) await this.plants.save({ name: this.lastWords });
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([Plant]), TypeOrmModule.forFeature([Visit], AUXILIARY)],
  providers: [Garden],
})
class GardenModule {}

let directory: string;
let app: INestApplicationContext;
let garden: Garden;

async function start(): Promise<void> {
  @Global()
  @Module({
    providers: [{ provide: ROOST_CONFIG, useValue: testConfig(directory) }],
    exports: [ROOST_CONFIG],
  })
  class TestConfigModule {}

  @Module({ imports: [TestConfigModule, InstancesModule.forRoot(new LoneInstance()), DatabaseModule, GardenModule] })
  class TestModule {}

  app = await NestFactory.createApplicationContext(TestModule, { logger: ['error'] });
  garden = app.get(Garden);
}

async function plantTables(): Promise<void> {
  await garden.dataSource.query(
    'CREATE TABLE plants (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, wild BOOLEAN DEFAULT FALSE, planted TEXT)',
  );
}

async function names(): Promise<string[]> {
  return (await garden.plants.find({ order: { id: 'ASC' } })).map(({ name }) => name);
}

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'roost-nest-')), 'data');
  await start();
});

afterEach(async () => {
  await app.close();
  await rm(join(directory, '..'), { recursive: true, force: true });
});

describe('repositories of a team', () => {
  it('OPS-160 starting the application touches no file', async () => {
    expect(existsSync(directory)).toBe(false);
    await app.close();
    expect(existsSync(directory)).toBe(false);
  });

  it('stores and finds entities, with dates, booleans and generated ids', async () => {
    await plantTables();
    const planted = new Date('2024-05-01T10:00:00.123Z');
    const saved = await garden.plants.save({ name: 'fern', wild: true, planted });
    expect(saved.id).toBe(1);
    const found = await garden.plants.findOneBy({ wild: true, planted });
    expect(found).toEqual({ id: 1, name: 'fern', wild: true, planted });
    expect(await garden.plants.update({ name: 'fern' }, { wild: false })).toMatchObject({ affected: 1 });
    expect(await garden.plants.countBy({ wild: true })).toBe(0);
  });

  it('TX-3 a save() is not lost with the transaction of somebody else', async () => {
    await plantTables();
    let failNow = (): void => undefined;
    const mayFail = new Promise<void>((resolve) => (failNow = resolve));
    const theirs = garden.database.transaction(async () => {
      await garden.plants.save({ name: 'theirs' });
      await mayFail;
      throw new Error('no');
    });
    const ours = garden.plants.save({ name: 'ours' });
    const raw = garden.dataSource.query("INSERT INTO plants (name) VALUES ('raw')");
    const built = garden.plants.createQueryBuilder().insert().values({ name: 'built' }).execute();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await names()).toEqual([]);
    failNow();
    await expect(theirs).rejects.toThrow('no');
    await Promise.all([ours, raw, built]);
    expect((await names()).sort()).toEqual(['built', 'ours', 'raw']);
  });

  it('EXT-22 take part in the transaction around them without being handed anything', async () => {
    await plantTables();
    const work = garden.database.transaction(async () => {
      await garden.plants.save({ name: 'fern' });
      await garden.dataSource.transaction((manager) => manager.save(Plant, { name: 'moss' }));
      expect(await names()).toEqual(['fern', 'moss']);
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await names()).toEqual([]);
  });

  it('EXT-22 dataSource.transaction() takes everything along that is called inside', async () => {
    await plantTables();
    const told: string[] = [];
    const work = garden.dataSource.transaction(async (manager) => {
      await manager.save(Plant, { name: 'by manager' });
      await garden.plants.save({ name: 'by repository' });
      await garden.database.run(sql("INSERT INTO plants (name) VALUES ('by database')"));
      garden.database.afterRollback(() => void told.push('rollback'));
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await names()).toEqual([]);
    expect(told).toEqual(['rollback']);
  });

  it('EXT-22 queryRunner.startTransaction() takes everything along until it ends', async () => {
    await plantTables();
    const runner = garden.dataSource.createQueryRunner();
    await runner.connect();
    await runner.startTransaction();
    await runner.query("INSERT INTO plants (name) VALUES ('by runner')");
    await garden.plants.save({ name: 'by repository' });
    expect(garden.database.inTransaction).toBe(true);
    await runner.startTransaction();
    await runner.manager.save(Plant, { name: 'undone' });
    await runner.rollbackTransaction();
    await runner.commitTransaction();
    await runner.release();
    expect(garden.database.inTransaction).toBe(false);
    expect(await names()).toEqual(['by runner', 'by repository']);
  });

  it('TX-3 transactions begun side by side by hand know nothing of each other', async () => {
    await plantTables();
    const byHand = async (name: string, fails: boolean): Promise<void> => {
      const runner = garden.dataSource.createQueryRunner();
      await runner.connect();
      await runner.startTransaction();
      await garden.plants.save({ name });
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (fails) await runner.rollbackTransaction();
      else await runner.commitTransaction();
      await runner.release();
    };
    await Promise.all([byHand('a', false), byHand('b', true), byHand('c', false)]);
    expect(await names()).toEqual(['a', 'c']);
  });

  it('TX-3 saves side by side fail alone', async () => {
    await plantTables();
    const save = (name: string): Promise<unknown> => garden.plants.save({ name });
    const results = await Promise.allSettled([save('a'), save('a'), save('b')]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await garden.database.transaction(async () => {
      const inside = await Promise.allSettled([save('c'), save('a'), save('d')]);
      expect(inside.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    });
    expect(await names()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a failed save() inside a transaction undoes its own part alone', async () => {
    await plantTables();
    await garden.database.transaction(async () => {
      await garden.plants.save({ name: 'a' });
      await expect(garden.plants.save([{ name: 'b' }, { name: 'a' }])).rejects.toMatchObject({
        driverError: { kind: 'unique', table: 'plants', columns: ['name'] },
      });
    });
    expect(await names()).toEqual(['a']);
  });

  it('a runner that is released in the middle of its transaction holds up nobody', async () => {
    await plantTables();
    const forgetful = async (): Promise<void> => {
      const runner = garden.dataSource.createQueryRunner();
      await runner.connect();
      await runner.startTransaction();
      await runner.query("INSERT INTO plants (name) VALUES ('forgotten')");
      await runner.release();
    };
    await forgetful();
    await garden.plants.save({ name: 'next' });
    expect(await names()).toEqual(['next']);
  });

  it('cannot begin a transaction behind the back of everybody', async () => {
    await plantTables();
    for (const statement of ['BEGIN', 'COMMIT', '-- x\nrollback', 'SAVEPOINT x']) {
      await expect(garden.dataSource.query(statement)).rejects.toThrow(/Transactions are begun/);
    }
  });

  it('SCALE-2 read without waiting for a transaction that is open', async () => {
    await plantTables();
    await garden.database.transaction(async () => {
      await garden.plants.save({ name: 'open' });
      expect(await garden.database.runOutside(() => names())).toEqual([]);
      const [row] = await garden.database.runOutside(() =>
        garden.dataSource.query<{ n: number }[]>('SELECT count(*) AS n FROM plants'),
      );
      expect(row).toEqual({ n: 0 });
    });
  });

  it('OPS-80 logs have a database of their own, with a writer of its own', async () => {
    await garden.visits.query('CREATE TABLE visits (id INTEGER PRIMARY KEY AUTOINCREMENT, page TEXT)');
    await garden.database.transaction(() => garden.visits.save({ page: '/' }));
    const failing = garden.database.transaction(async () => {
      await garden.visits.save({ page: '/kept' });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect((await garden.visits.find()).map(({ page }) => page)).toEqual(['/', '/kept']);
    expect(existsSync(join(directory, 'auxiliary.db'))).toBe(true);
  });

  it('OPS-195 can be used until everybody else has stopped; then the files are closed and complete', async () => {
    await plantTables();
    garden.lastWords = 'goodbye';
    await app.close();
    expect(existsSync(join(directory, 'data.db-wal'))).toBe(false);
    await start();
    expect(await names()).toEqual(['goodbye']);
  });

  it('OPS-105 go on working when the files were exchanged below them', async () => {
    await plantTables();
    await garden.plants.save({ name: 'old' });
    await garden.database.upkeep.snapshot(join(directory, 'saved.db'));
    await garden.plants.save({ name: 'new' });
    await garden.database.lifecycle.whileClosed(() => rename(join(directory, 'saved.db'), join(directory, 'data.db')));
    await garden.plants.save({ name: 'newer' });
    expect(await names()).toEqual(['old', 'newer']);
  });

  it('EXT-50 two applications live side by side in one process', async () => {
    await plantTables();
    await garden.plants.save({ name: 'first' });
    const [first, firstGarden, firstDirectory] = [app, garden, directory];
    directory = `${directory}-2`;
    await start();
    await plantTables();
    await garden.plants.save({ name: 'second' });
    expect(await names()).toEqual(['second']);
    expect((await firstGarden.plants.find()).map(({ name }) => name)).toEqual(['first']);
    await app.close();
    await firstGarden.plants.save({ name: 'still there' });
    [app, garden, directory] = [first, firstGarden, firstDirectory];
    expect(await names()).toEqual(['first', 'still there']);
  });
});

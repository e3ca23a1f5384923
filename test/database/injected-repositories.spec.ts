import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
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

  @Module({ imports: [TestConfigModule, DatabaseModule, GardenModule] })
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
  it('OPS-160 starting the application touches no file', () => {
    expect(existsSync(directory)).toBe(false);
  });

  it('stores and finds entities, with dates, booleans and generated ids', async () => {
    await plantTables();
    const planted = new Date('2024-05-01T10:00:00.123Z');
    const saved = await garden.plants.save({ name: 'fern', wild: true, planted });
    expect(saved.id).toBe(1);
    expect(await garden.plants.findOneBy({ wild: true, planted })).toEqual({
      id: 1,
      name: 'fern',
      wild: true,
      planted,
    });
    expect(await garden.plants.update({ name: 'fern' }, { wild: false })).toMatchObject({ affected: 1 });
    expect(await garden.plants.countBy({ wild: true })).toBe(0);
  });
});

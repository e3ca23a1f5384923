// @module-tag alone: what it declares for TypeORM is part of every application that follows in its process.
import { Logger, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { expect, it, vi } from 'vitest';
import { startRoost } from '../support/roost.js';

@Entity('wrong')
class Wrong {
  @PrimaryGeneratedColumn() id!: number;
  @Column({ type: 'tsvector' }) words!: string;
}

@Module({ imports: [TypeOrmModule.forFeature([Wrong])] })
class Team {}

it('an entity that the database cannot have fails the start, which is not tried again', async () => {
  const said = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
  await expect(startRoost({ imports: [Team] })).rejects.toThrow(/"tsvector" in "Wrong\.words" is not supported/);
  expect(said.mock.calls.filter(([line]) => /Retrying/.test(String(line)))).toEqual([]);
});

import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';

/** The stored definition of a collection. Options of its type are JSON in `options`, secrets included. */
@Entity({ name: '_collections' })
export class CollectionEntity {
  @PrimaryColumn('text')
  id: string;

  @Column('boolean')
  system: boolean;

  @Column('text')
  type: string;

  @Column('text')
  name: string;

  @Column('simple-json')
  fields: FieldDefinition[];

  @Column('simple-json')
  indexes: string[];

  @Column('text', { nullable: true })
  listRule: string | null;

  @Column('text', { nullable: true })
  viewRule: string | null;

  @Column('text', { nullable: true })
  createRule: string | null;

  @Column('text', { nullable: true })
  updateRule: string | null;

  @Column('text', { nullable: true })
  deleteRule: string | null;

  @Column('simple-json')
  options: Record<string, unknown>;

  @Column('text')
  created: string;

  @Column('text')
  updated: string;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A stored value of the application itself. The settings are the row `settings` (OPS-9). */
@Entity({ name: '_params' })
export class ParamEntity {
  @PrimaryColumn('text')
  id: string;

  /** JSON text, or base64 of its encryption (OPS-10). */
  @Column('text')
  value: string;

  @Column('text')
  created: string;

  @Column('text')
  updated: string;
}

import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import type { Clock } from '../kernel/clock.js';
import { stemOf } from './migration-files.js';

const TABLE = '_migrations';

/** Which migration files have been applied (OPS-185). */
@Injectable()
export class MigrationHistory {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The applied files, the latest last. */
  async list(): Promise<string[]> {
    const sql = `SELECT "file" FROM "${TABLE}" ORDER BY "applied", "file"`;
    return (await this.database.all<{ file: string }>({ sql, params: [] })).map(({ file }) => file);
  }

  /** Notes files as applied, in this order. */
  async add(files: readonly string[]): Promise<void> {
    const { latest } = (await this.database.get<{ latest: number | null }>({
      sql: `SELECT max("applied") AS "latest" FROM "${TABLE}"`,
      params: [],
    })) ?? { latest: null };
    // Microseconds, and each later than the one before, also when the clock stands still.
    let applied = Math.max(this.clock.now() * 1000, (latest ?? 0) + 1);
    for (const file of files) {
      const sql = `INSERT INTO "${TABLE}" ("file", "applied") VALUES (?, ?)`;
      await this.database.run({ sql, params: [file, applied++], writes: [TABLE] });
    }
  }

  /** Whatever the files were written in when they were applied. */
  async remove(files: readonly string[]): Promise<void> {
    for (const file of files) {
      const params = [`${stemOf(file)}.js`, `${stemOf(file)}.ts`];
      await this.database.run({ sql: `DELETE FROM "${TABLE}" WHERE "file" IN (?, ?)`, params, writes: [TABLE] });
    }
  }
}

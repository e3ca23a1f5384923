import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import type { Clock } from '../kernel/clock.js';
import { call, column, oneOf, param, table } from '../kernel/sql/sql.js';
import { stemOf } from './migration-files.js';

const TABLE = '_migrations';
const FILE = column(TABLE, 'file');
const APPLIED = column(TABLE, 'applied', 'number');

/** Which migration files have been applied (OPS-185). */
@Injectable()
export class MigrationHistory {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The applied files, the latest last. */
  async list(): Promise<string[]> {
    const order = [APPLIED, FILE].map((value) => ({ value, descending: false }));
    const columns = [{ value: FILE, as: 'file' }];
    const rows = await this.database.all<{ file: string }>({ kind: 'select', columns, from: table(TABLE), order });
    return rows.map(({ file }) => file);
  }

  /** Notes files as applied, in this order. */
  async add(files: readonly string[]): Promise<void> {
    const columns = [{ value: call('max', APPLIED), as: 'latest' }];
    const { latest } = (await this.database.get<{ latest: number | null }>({
      kind: 'select',
      columns,
      from: table(TABLE),
    })) ?? { latest: null };
    // In microseconds, each later than the one before, even when the clock stands still.
    let applied = Math.max(this.clock.now() * 1000, (latest ?? 0) + 1);
    for (const file of files) {
      const rows = [[param(file), param(applied++)]];
      await this.database.run({ kind: 'insert', into: TABLE, columns: ['file', 'applied'], rows });
    }
  }

  /** Whatever the files were written in when they were applied. */
  async remove(files: readonly string[]): Promise<void> {
    for (const file of files) {
      const where = oneOf(FILE, [param(`${stemOf(file)}.js`), param(`${stemOf(file)}.ts`)]);
      await this.database.run({ kind: 'delete', from: TABLE, where });
    }
  }
}

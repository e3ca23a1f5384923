import { Inject, Injectable, Logger } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import { DatabaseError } from '../database/database.error.js';
import { requireValid } from '../http/dto/read-dto.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import type { SqlAnswer, SqlDto } from './sql.dto.js';

/** Rows are in memory in several places at the same time, and four scripts may run (OPS-39). */
const MOST = { rows: 1_000, bytes: 8 * 1024 * 1024 };
const SECONDS = 3 * 60;

const WRITES = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*(?:INSERT|CREATE|UPDATE|DELETE|DROP|DETACH|ALTER|REPLACE)\b/i;

/** Runs SQL of a superuser where it blocks nobody and can be cut off (OPS-147, OPS-148). */
@Injectable()
export class SqlConsoleService {
  private readonly logger = new Logger('SqlConsole');

  constructor(
    private readonly database: Database,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  /**
   * Throws a ValidationError at `query`, a BadRequestError with the database's own reason or when the time is over,
   * and a NotFoundError where the console is switched off.
   */
  async run(form: SqlDto): Promise<SqlAnswer> {
    if (!this.config.sqlConsole) throw new NotFoundError();
    requireValid(form);
    const text = form.query;
    this.logger.warn(`A superuser runs: ${text}`);
    try {
      const result = await this.database.upkeep.runScript({
        text,
        writes: WRITES.test(text),
        timeout: SECONDS,
        most: MOST,
      });
      return {
        execTime: Math.round(result.milliseconds),
        affectedRows: result.changes,
        columns: result.columns,
        rows: result.rows.map((row) => row.map(toText)),
      };
    } catch (error) {
      throw error instanceof DatabaseError ? new BadRequestError(error.message, {}, { cause: error }) : error;
    }
  }
}

function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return value instanceof Uint8Array ? `x'${Buffer.from(value).toString('hex')}'` : String(value);
}

import { Logger } from '@nestjs/common';
import type { Database } from '../database/database.js';

/**
 * For tables that were just filled, once that is committed: without it, PostgreSQL reads all rows to count those of a
 * list, until its autovacuum comes by. A failure is only logged, because everything is there already.
 */
export async function vacuumFilled(
  database: Database,
  tables: readonly string[],
  onTable?: (table: string) => void,
): Promise<void> {
  try {
    await database.upkeep.vacuum(tables, onTable);
  } catch (error) {
    const logger = new Logger('Database');
    logger.warn(`Lists are slower until PostgreSQL has vacuumed what was filled: ${(error as Error).message}`);
  }
}

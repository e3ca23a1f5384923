import { DatabaseError } from '../database/database.error.js';
import { withTextForName } from '../kernel/collections/view-query.js';

/**
 * Tries the query of a view, and again with a text for each name in double quotes that turns out to be no column.
 * What is tried at last is to be stored: a column that goes later must not turn into a text without anybody noticing.
 */
export async function tryWithTexts<T>(viewQuery: string, attempt: (viewQuery: string) => Promise<T>): Promise<T> {
  try {
    return await attempt(viewQuery);
  } catch (error) {
    const name = error instanceof DatabaseError ? error.missingColumn : undefined;
    const withText = name === undefined ? undefined : withTextForName(viewQuery, name);
    if (withText === undefined) throw error;
    return tryWithTexts(withText, attempt);
  }
}

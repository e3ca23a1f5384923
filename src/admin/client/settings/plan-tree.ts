import type { SqlAnswer } from '../api/models.js';

/** A step of how the database will find rows, and what it is made of. */
export interface PlanStep {
  readonly detail: string;
  /** Why it may be slow; absent where it is not. */
  readonly advice?: string;
  readonly steps: readonly PlanStep[];
}

/** A statement in front of which can be said that it is only to be explained, or undefined for none or several. */
export function explained(text: string): string | undefined {
  const statement = text.trim().replace(/[;\s]+$/, '');
  const bare = statement.replaceAll(/'(?:''|[^'])*'|"(?:""|[^"])*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g, '');
  if (!bare.trim() || bare.includes(';')) return undefined;
  return /^\s*EXPLAIN\b/i.test(bare) ? statement : `EXPLAIN QUERY PLAN ${statement}`;
}

function adviceOn(detail: string): string | undefined {
  if (/^SCAN \S+( AS \S+)?( LEFT-JOIN)?$/.test(detail))
    return 'Reads every row. An index on what is compared would help.';
  if (/AUTOMATIC .*INDEX/.test(detail)) return 'Makes an index for this one statement. A lasting one would help.';
  if (detail.startsWith('USE TEMP B-TREE FOR ORDER BY')) return 'Sorts all rows. An index in this order would help.';
  return undefined;
}

/** The steps of a query plan, those within others below them. Undefined for an answer that is no plan. */
export function planTree({ columns, rows }: Pick<SqlAnswer, 'columns' | 'rows'>): PlanStep[] | undefined {
  const names = columns.map(({ name }) => name);
  if (names.join() !== 'id,parent,notused,detail') return undefined;
  const below = (parent: string): PlanStep[] =>
    rows
      .filter((row) => row[1] === parent)
      .map((row) => {
        const detail = row[3] ?? '';
        const advice = adviceOn(detail);
        return { detail, ...(advice ? { advice } : {}), steps: below(row[0]!) };
      });
  return below('0');
}

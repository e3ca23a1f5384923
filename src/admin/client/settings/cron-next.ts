import { CronExpression } from '../../../kernel/cron-expression.js';

/** When a schedule is due next; undefined when it is none or never due. */
export function nextRun(expression: string, after: Date): Date | undefined {
  const next = CronExpression.parse(expression)?.next(after.getTime());
  return next === undefined ? undefined : new Date(next);
}

import { Cron, type CronOptions, Interval, Timeout } from '@nestjs/schedule';
import type { CronJobParams } from 'cron';

/** The options of `@Cron`. */
export type CronMetadata = CronOptions & Pick<CronJobParams, 'cronTime'>;

/** The options of `@Interval` or `@Timeout`. */
export interface TimerMetadata {
  readonly timeout: number;
}

const NAME = 'a name';

/**
 * The keys under which the decorators of @nestjs/schedule leave what they were given. The package exports none of
 * them, and its registry knows a job only once it runs, so they are looked up on a method that was given known values.
 */
export const SCHEDULE_METADATA = {
  cron: keyOf(Cron('* * * * *'), (value) => has(value, 'cronTime', '* * * * *')),
  interval: keyOf(Interval(NAME, 12_345), (value) => has(value, 'timeout', 12_345)),
  timeout: keyOf(Timeout(NAME, 12_345), (value) => has(value, 'timeout', 12_345)),
  name: keyOf(Interval(NAME, 12_345), (value) => value === NAME),
} as const;

function keyOf(decorator: MethodDecorator, isMeant: (value: unknown) => boolean): string {
  const marked = (): void => undefined;
  decorator({}, 'marked', { value: marked });
  const found = (Reflect.getMetadataKeys(marked) as string[]).find((key) => isMeant(Reflect.getMetadata(key, marked)));
  if (found === undefined)
    throw new Error('This version of @nestjs/schedule marks its methods in a way that is not known.');
  return found;
}

function has(value: unknown, name: string, expected: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as Record<string, unknown>)[name] === expected;
}

import { CronTime } from 'cron';

/** The options of a schedule of the cron library. */
export type CronScheduleOptions = ConstructorParameters<typeof CronTime>;

/** Tells when a schedule of the cron library is due. Computing it is slow, so the last result is cached. */
export class CronSchedule {
  private time: CronTime | undefined;
  private known: { readonly after: number; readonly moment: number | undefined } | undefined;

  /** Parses lazily: an invalid schedule is an error of `serve` only. */
  constructor(private readonly options: CronScheduleOptions) {}

  /** The first moment after this one; undefined when it is never due again. */
  next(after: number): number | undefined {
    const { known } = this;
    if (known && known.after <= after && after < (known.moment ?? Infinity)) return known.moment;
    this.time ??= new CronTime(...this.options);
    const moment = nextRun(this.time, after);
    this.known = { after, moment };
    return moment;
  }
}

/** As `CronSchedule.next`, of a schedule that is not kept. */
export function nextRun(time: CronTime, after: number): number | undefined {
  const { source } = time;
  if (typeof source !== 'string') return source.toMillis() > after ? source.toMillis() : undefined;
  try {
    return time.getNextDateFrom(new Date(after), time.timeZone ?? zoneOf(time.utcOffset ?? 0)).toMillis();
  } catch {
    // The library throws for a schedule that is never due, such as 30 February.
    return undefined;
  }
}

/** Minutes as the library's dates take them, for example `UTC+02:00`. */
function zoneOf(offset: number): string {
  const minutes = Math.abs(offset);
  const [hour, minute] = [Math.trunc(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `UTC${offset < 0 ? '-' : '+'}${hour}:${minute}`;
}

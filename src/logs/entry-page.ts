import { toJson } from './log-json.js';
import type { NewLogEntry, WaitingEntry } from './log-entry.js';
import { RequestDetails } from './request-details.js';

/** Entries of one page. */
export const PAGE_LENGTH = 200;

/** Numbers of one entry: when it came, its level, and of a request the status and the milliseconds it took. */
const NUMBERS = 4;

/**
 * Log entries in the order in which they came. Those of requests stand in columns: an object each, which lives for as
 * long as it waits, would cost V8's garbage collector several times as much as all else that is done about it. For the
 * same reason a page is used again.
 */
export class EntryPage {
  private count = 0;
  private readonly numbers = new Float64Array(PAGE_LENGTH * NUMBERS);
  private readonly urls = Array.from({ length: PAGE_LENGTH }, () => '');
  private readonly contents = Array.from<NewLogEntry | RequestDetails | null>({ length: PAGE_LENGTH }).fill(null);

  get length(): number {
    return this.count;
  }

  get isFull(): boolean {
    return this.count === PAGE_LENGTH;
  }

  /** `at`: milliseconds since the Unix epoch. */
  add(at: number, entry: NewLogEntry): void {
    this.numbers[this.count * NUMBERS] = at;
    this.contents[this.count++] = entry;
  }

  /** `execTime`: milliseconds. */
  addRequest(at: number, level: number, url: string, status: number, execTime: number, details: RequestDetails): void {
    const { count, numbers } = this;
    const first = count * NUMBERS;
    numbers[first] = at;
    numbers[first + 1] = level;
    numbers[first + 2] = status;
    numbers[first + 3] = execTime;
    // One text for equal ones: each that waits would be moved about by the garbage collector.
    const before = count === 0 ? '' : this.urls[count - 1];
    this.urls[count] = url === before ? before : url;
    this.contents[count] = details;
    this.count = count + 1;
  }

  /** Adds an entry of another page. */
  addFrom(page: EntryPage, index: number): void {
    const { count } = this;
    for (let number = 0; number < NUMBERS; number++) {
      this.numbers[count * NUMBERS + number] = page.numbers[index * NUMBERS + number];
    }
    this.urls[count] = page.urls[index];
    this.contents[count] = page.contents[index];
    this.count = count + 1;
  }

  /** The entry with this index. It is put into words now. */
  at(index: number): WaitingEntry {
    const { numbers } = this;
    const content = this.contents[index]!;
    const first = index * NUMBERS;
    const at = numbers[first];
    if (content instanceof RequestDetails) {
      const url = this.urls[index];
      const data = content.data(url, numbers[first + 2], numbers[first + 3]);
      return { at, level: numbers[first + 1], message: content.message(url), data };
    }
    return { at, level: content.level, message: content.message, data: toJson(content.data) };
  }

  /** Lets go of all. */
  clear(): void {
    this.count = 0;
    this.urls.fill('');
    this.contents.fill(null);
  }
}

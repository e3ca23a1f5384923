import { EntryPage } from './entry-page.js';
import type { NewLogEntry } from './log-entry.js';
import type { RequestDetails } from './request-details.js';

/** Log entries in the order in which they came. When there are too many, the oldest page is dropped. */
export class WaitingEntries {
  /** Oldest first. Only the last one has room. */
  private pages: EntryPage[] = [];
  private last: EntryPage | undefined;
  private readonly free: EntryPage[] = [];
  private count = 0;
  private lost = 0;

  /** `most`: from so many on, each page that begins drops the oldest one. */
  constructor(public most: number) {}

  get length(): number {
    return this.count;
  }

  /** `at`: milliseconds since the Unix epoch. */
  add(at: number, entry: NewLogEntry): void {
    this.pageWithRoom().add(at, entry);
    this.count++;
  }

  /** Whether a page begins or is full with it: in between there is nothing new to plan. `execTime`: milliseconds. */
  addRequest(
    at: number,
    level: number,
    url: string,
    status: number,
    execTime: number,
    details: RequestDetails,
  ): boolean {
    const page = this.pageWithRoom();
    page.addRequest(at, level, url, status, execTime, details);
    this.count++;
    return page.length === 1 || page.isFull;
  }

  /** Takes all out, and tells how many were dropped since that was done last. */
  takeAll(): { pages: EntryPage[]; dropped: number } {
    const { pages, lost: dropped } = this;
    this.pages = [];
    this.last = undefined;
    this.count = 0;
    this.lost = 0;
    return { pages, dropped };
  }

  /** Puts entries in front of those that came meanwhile. */
  putBack({ pages, dropped }: { pages: EntryPage[]; dropped: number }): void {
    const newer = this.pages;
    this.pages = pages;
    this.last = pages.at(-1);
    this.count = pages.reduce((count, page) => count + page.length, 0);
    this.lost += dropped;
    for (const page of newer) {
      for (let index = 0; index < page.length; index++, this.count++) this.pageWithRoom().addFrom(page, index);
    }
    this.giveBack(newer);
  }

  /** Takes pages back that nobody reads any more. */
  giveBack(pages: readonly EntryPage[]): void {
    for (const page of pages) {
      page.clear();
      this.free.push(page);
    }
  }

  private pageWithRoom(): EntryPage {
    if (this.last !== undefined && !this.last.isFull) return this.last;
    if (this.count >= this.most) this.dropOldest();
    this.last = this.free.pop() ?? new EntryPage();
    this.pages.push(this.last);
    return this.last;
  }

  private dropOldest(): void {
    const oldest = this.pages.shift()!;
    this.count -= oldest.length;
    this.lost += oldest.length;
    this.giveBack([oldest]);
  }
}

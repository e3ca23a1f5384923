import { Injectable } from '@nestjs/common';
import type { NewLogEntry } from './log-entry.js';
import { RequestEntry } from './request-entry.js';

/**
 * Entries of requests, which are used again. Each waits for longer than anything else of its request lives; made anew
 * and thrown away, it would cost V8's garbage collector several times as much as to fill it.
 */
@Injectable()
export class RequestEntries {
  private readonly free: RequestEntry[] = [];

  of(...of: Parameters<RequestEntry['take']>): RequestEntry {
    const entry = this.free.pop() ?? new RequestEntry();
    entry.take(...of);
    return entry;
  }

  /** Takes back an entry that nobody reads any more; of other kinds there is nothing to take. */
  giveBack(entry: NewLogEntry): void {
    if (!(entry instanceof RequestEntry)) return;
    entry.clear();
    this.free.push(entry);
  }
}

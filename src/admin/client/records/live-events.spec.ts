import type { RecordModel } from 'pocketbase';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveEvents, TOGETHER_MS } from './live-events.js';
import type { RecordChange } from './live-pages.js';

const of = (action: RecordChange['action'], id = 'x') => ({ action, record: { id } as RecordModel });

describe('the events of a live list', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A list under a filter which a record fits or not, and what it was told. */
  function list(fits: boolean, hasFilter = true) {
    const told: string[] = [];
    const asked: string[] = [];
    const apply = ({ action, record }: RecordChange) => void told.push(`${action} ${record.id}`);
    const ask = (id: string) => Promise.resolve(asked.push(id)).then(() => fits);
    return { told, asked, events: new LiveEvents({ apply, fits: ask }, hasFilter) };
  }
  const settled = () => vi.advanceTimersByTimeAsync(TOGETHER_MS);

  it('UI-78 without a filter are all for the list', async () => {
    const { told, asked, events } = list(false, false);
    for (const action of ['create', 'update', 'delete'] as const) events.fitting(of(action));
    await settled();
    expect([told, asked]).toEqual([['create x', 'update x', 'delete x'], []]);
  });

  it('UI-78 of an update inside of the filter are one, whichever comes first', async () => {
    const { told, asked, events } = list(true);
    events.fitting(of('update'));
    events.any(of('update'));
    events.any(of('update', 'y'));
    events.fitting(of('update', 'y'));
    await settled();
    expect([told, asked]).toEqual([['update x', 'update y'], []]);
  });

  it('UI-78 of an update out of the filter take the row away', async () => {
    const { told, events } = list(false);
    events.any(of('update'));
    await settled();
    expect(told).toEqual(['leave x']);
  });

  it('UI-78 of several updates are settled by asking, when not all were inside', async () => {
    const { told, asked, events } = list(true);
    events.any(of('update'));
    events.any(of('update'));
    events.fitting(of('update'));
    await settled();
    expect([told, asked]).toEqual([['update x'], ['x']]);
  });

  it('UI-78 made and deleted without the filter mean nothing to it', async () => {
    const { told, asked, events } = list(false);
    events.any(of('create'));
    events.any(of('delete'));
    await settled();
    expect([told, asked]).toEqual([[], []]);
  });

  it('UI-78 that nobody waits for any more are forgotten', async () => {
    const { told, asked, events } = list(false);
    events.any(of('update'));
    events.stop();
    expect(vi.getTimerCount()).toBe(0);
    await settled();
    expect([told, asked]).toEqual([[], []]);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AuxiliaryDatabase } from '../../src/database/auxiliary-database.js';
import type { WaitingEntry } from '../../src/logs/log-entry.js';
import type { LogRows } from '../../src/logs/log-rows.js';
import { LogWriter } from '../../src/logs/log-writer.js';
import { RequestEntries } from '../../src/logs/request-entries.js';
import { TestClock } from '../../src/testing/test-clock.js';

/** A table that can fail, or take its time. */
class Disk {
  readonly batches: (readonly WaitingEntry[])[] = [];
  fails = false;
  gate: Promise<void> = Promise.resolve();

  async insert(entries: readonly WaitingEntry[]): Promise<void> {
    await this.gate;
    if (this.fails) throw new Error('disk full');
    this.batches.push(entries);
  }

  get messages(): string[] {
    return this.batches.flat().map(({ entry }) => entry.message);
  }
}

const database = { outside: (work: () => unknown) => work() } as unknown as AuxiliaryDatabase;
let disk: Disk;
let writer: LogWriter;

const add = (count: number, from = 0) => {
  for (let index = from; index < from + count; index++) writer.add({ level: 0, message: `entry ${index}`, data: {} });
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  disk = new Disk();
  writer = new LogWriter(disk as unknown as LogRows, new RequestEntries(), database, new TestClock());
  writer.begin();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the writer of log entries', () => {
  it('OPS-87 writes after 3 seconds', async () => {
    add(3);
    await vi.advanceTimersByTimeAsync(2_999);
    expect(disk.batches).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(disk.messages).toEqual(['entry 0', 'entry 1', 'entry 2']);
  });

  it('OPS-87 writes at 200 entries', async () => {
    add(199);
    await vi.advanceTimersByTimeAsync(0);
    expect(disk.batches).toEqual([]);
    add(1, 199);
    await vi.advanceTimersByTimeAsync(0);
    expect(disk.batches.map((batch) => batch.length)).toEqual([200]);
  });

  it('OPS-87 keeps at most 10,000 while the disk is slow, drops the oldest and says how many', async () => {
    let open = () => {};
    disk.gate = new Promise((resolve) => (open = resolve));
    add(200);
    await vi.advanceTimersByTimeAsync(0);
    add(12_000, 200);
    open();
    await vi.advanceTimersByTimeAsync(3_000);
    const warnings = disk.batches
      .flat()
      .map(({ entry }) => entry)
      .filter(({ level }) => level === 4);
    const kept = disk.messages.filter((message) => message.startsWith('entry'));
    expect(warnings).toHaveLength(1);
    const dropped = warnings[0]!.data['dropped'] as number;
    expect(warnings[0]!.message).toContain(String(dropped));
    expect(kept.length + dropped).toBe(12_200);
    expect(kept.length).toBeLessThanOrEqual(10_200);
    expect(kept.length).toBeGreaterThan(9_900);
    expect(kept.at(-1)).toBe('entry 12199');
    expect(kept[199]).toBe('entry 199');
    expect(kept).not.toContain('entry 300');
  });

  it('OPS-87 a disk that fails throws nothing at anybody, and the entries are written when it works again', async () => {
    disk.fails = true;
    add(250);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(disk.batches).toEqual([]);
    disk.fails = false;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(disk.messages).toEqual(Array.from({ length: 250 }, (_, index) => `entry ${index}`));
  });

  it('OPS-87 a disk that fails for long does not fill the memory', async () => {
    disk.fails = true;
    for (let round = 0; round < 30; round++) {
      add(1_000, round * 1_000);
      await vi.advanceTimersByTimeAsync(3_000);
    }
    disk.fails = false;
    await vi.advanceTimersByTimeAsync(3_000);
    const kept = disk.messages.filter((message) => message.startsWith('entry'));
    expect(kept.length).toBeLessThanOrEqual(10_000);
    expect(
      disk.batches
        .flat()
        .map(({ entry }) => entry)
        .filter(({ level }) => level === 4)
        .map(({ data }) => data['dropped']),
    ).toEqual([30_000 - kept.length]);
  });

  it('OPS-87 writes what waits when the process ends', async () => {
    add(5);
    await writer.beforeApplicationShutdown();
    add(1, 5);
    await writer.onApplicationShutdown();
    expect(disk.messages).toHaveLength(6);
  });
});

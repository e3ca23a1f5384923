import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AuxiliaryDatabase } from '../../src/database/database.js';
import type { NewLogEntry, WaitingEntry } from '../../src/logs/log-entry.js';
import type { LogRows } from '../../src/logs/log-rows.js';
import { LogWriter } from '../../src/logs/log-writer.js';
import { TestClock } from '../../src/testing/test-clock.js';

/** A table that can fail, or take its time. */
class Disk {
  readonly batches: (readonly NewLogEntry[])[] = [];
  fails = false;
  gate: Promise<void> = Promise.resolve();

  async insert(entries: readonly WaitingEntry[]): Promise<void> {
    await this.gate;
    if (this.fails) throw new Error('disk full');
    this.batches.push(entries.map(({ entry }) => entry));
  }

  get messages(): string[] {
    return this.batches.flat().map(({ message }) => message);
  }

  /** What the warnings say. */
  get dropped(): unknown[] {
    const warnings = this.batches.flat().filter(({ level }) => level === 4);
    return warnings.map(({ data }) => data['dropped']);
  }
}

const database = { runOutside: (work: () => unknown) => work() } as unknown as AuxiliaryDatabase;
let disk: Disk;
let writer: LogWriter;

const add = (count: number, from = 0) => {
  for (let index = from; index < from + count; index++) writer.add({ level: 0, message: `entry ${index}`, data: {} });
};

/** An event loop that was busy for this share of the time. */
const load = (utilization: number) => ({ idle: 1 - utilization, active: utilization, utilization });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  disk = new Disk();
  writer = new LogWriter(disk as unknown as LogRows, database, new TestClock());
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
    const kept = disk.messages.filter((message) => message.startsWith('entry'));
    expect(disk.dropped).toHaveLength(1);
    const dropped = disk.dropped[0] as number;
    expect(disk.messages.find((message) => message.includes('dropped'))).toContain(String(dropped));
    expect(kept.length + dropped).toBe(12_200);
    expect(kept.length).toBeLessThanOrEqual(10_200);
    expect(kept.length).toBeGreaterThan(9_900);
    expect(kept.at(-1)).toBe('entry 12199');
    expect(kept[199]).toBe('entry 199');
    expect(kept).not.toContain('entry 300');
  });

  it('OPS-87 writes fewer while a busy server has to drop some anyway, and as many as ever when that is over', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const pass = async (count: number) => {
      disk.batches.length = 0;
      add(count);
      now += 3_000;
      await vi.advanceTimersByTimeAsync(3_000);
      const written = disk.messages.filter((message) => message.startsWith('entry'));
      expect(written.at(-1)).toBe(`entry ${count - 1}`);
      expect(written.length + disk.dropped.reduce<number>((sum, dropped) => sum + Number(dropped), 0)).toBe(count);
      return written.length;
    };
    const loop = vi.spyOn(performance, 'eventLoopUtilization').mockReturnValue(load(0.9));
    await pass(1);
    expect(await pass(10_000)).toBe(10_000);
    expect(await pass(15_000)).toBeGreaterThan(9_700);
    expect(await pass(15_000)).toBe(2_000);
    expect(await pass(1_900)).toBe(1_900);
    expect(await pass(9_000)).toBe(9_000);

    loop.mockReturnValue(load(0.7));
    for (let round = 0; round < 3; round++) expect(await pass(30_000)).toBeGreaterThan(9_700);
  });

  it('OPS-87 keeps fewer of what comes while a flood is being written', async () => {
    vi.spyOn(performance, 'eventLoopUtilization').mockReturnValue(load(0.9));
    const addWhileWriting = async (count: number, from: number) => {
      let open = () => {};
      disk.gate = new Promise((resolve) => (open = resolve));
      // Writes what waits for it.
      await vi.advanceTimersByTimeAsync(3_000);
      disk.batches.length = 0;
      add(count, from);
      open();
      await vi.advanceTimersByTimeAsync(0);
    };
    add(1);
    await addWhileWriting(25_000, 0);
    await addWhileWriting(25_000, 25_000);
    expect(disk.messages).toContain('entry 24999');
    await addWhileWriting(0, 0);
    expect(disk.messages.filter((message) => message.startsWith('entry'))).toHaveLength(2_000);
    expect(disk.messages).toContain('entry 49999');
  });

  it('OPS-87 does not take what came while the disk was slow or failed for a flood', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const pass = async (count: number) => {
      add(count);
      now += 3_000;
      await vi.advanceTimersByTimeAsync(3_000);
    };
    await pass(1);
    disk.fails = true;
    for (let round = 0; round < 10; round++) await pass(5_000);
    disk.fails = false;
    await pass(0);
    disk.batches.length = 0;
    await pass(9_000);
    expect(disk.messages).toHaveLength(9_000);
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
    expect(kept.length).toBeGreaterThan(9_700);
    expect(disk.dropped).toEqual([30_000 - kept.length]);
  });

  it('OPS-87 entries that come while a disk fails keep their order, and a page with room is used up', async () => {
    for (let round = 0; round < 8; round++) {
      let fail = () => {};
      disk.fails = true;
      disk.gate = new Promise((resolve) => (fail = resolve));
      add(70, round * 100);
      await vi.advanceTimersByTimeAsync(3_000);
      add(30, round * 100 + 70);
      fail();
      await vi.advanceTimersByTimeAsync(0);
    }
    disk.fails = false;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(disk.messages).toEqual(Array.from({ length: 800 }, (_, index) => `entry ${index}`));
  });

  it('OPS-87 nothing of an entry that was written is kept, or written once more', async () => {
    add(450);
    await writer.flush();
    add(3, 450);
    await writer.flush();
    expect(disk.messages).toEqual(Array.from({ length: 453 }, (_, index) => `entry ${index}`));
  });

  it('OPS-87 rests after writing, for longer than that took, so that it never takes a server up', async () => {
    let now = 0;
    let open = () => {};
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    disk.gate = new Promise((resolve) => (open = resolve));
    add(200);
    await vi.advanceTimersByTimeAsync(0);
    now = 60;
    open();
    await vi.advanceTimersByTimeAsync(0);
    add(200, 200);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(disk.batches).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(disk.batches).toHaveLength(2);
  });

  it('OPS-87 who wants to read waits for what was written, but not for a disk that hangs', async () => {
    add(1);
    await writer.flushSoon();
    expect(disk.messages).toEqual(['entry 0']);
    disk.gate = new Promise(() => {});
    add(1, 1);
    let isOver = false;
    void writer.flushSoon().then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(2_999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
  });

  it('OPS-87 writes what waits when the process ends', async () => {
    add(5);
    await writer.beforeApplicationShutdown();
    add(1, 5);
    await writer.onApplicationShutdown();
    expect(disk.messages).toHaveLength(6);
  });
});

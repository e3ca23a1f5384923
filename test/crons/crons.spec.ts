import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Inject, Injectable, Module } from '@nestjs/common';
import { Cron, Interval, SchedulerRegistry } from '@nestjs/schedule';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CLOCK } from '../../src/config/roost-config.js';
import { CronsService } from '../../src/crons/crons.service.js';
import type { Clock } from '../../src/kernel/clock.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

@Injectable()
class Jobs {
  runs: string[] = [];
  gate: Promise<void> = Promise.resolve();
  failure: unknown = new Error('a job that fails');

  @Cron('*/5 * * * * *', { name: 'reports' })
  async reports(): Promise<void> {
    this.runs.push('reports');
    await this.gate;
  }

  @Interval(60_000)
  async sweep(): Promise<void> {
    this.runs.push('sweep');
    throw this.failure;
  }
}

@Module({ providers: [Jobs] })
class JobsModule {}

let roost: TestRoost;
let token: string;
let crons: CronsService;
let jobs: Jobs;

beforeEach(async () => {
  roost = await startRoost({ imports: [JobsModule] });
  token = await roost.createSuperuser();
  crons = roost.app.get(CronsService, { strict: false });
  jobs = roost.app.get(Jobs, { strict: false });
});
afterEach(() => roost.close());

const list = async () => (await roost.inject({ url: '/api/crons', token })).body;
const run = (id: string) => roost.inject({ method: 'POST', url: `/api/crons/${encodeURIComponent(id)}`, token });
const change = (body: object) => roost.inject({ method: 'PATCH', url: '/api/settings', token, body });

const SYSTEM = [
  { id: '__pbDBOptimize__', expression: '0 0 * * *' },
  { id: '__pbLogsCleanup__', expression: '0 */6 * * *' },
  { id: '__pbMFACleanup__', expression: '0 * * * *' },
  { id: '__pbOTPCleanup__', expression: '0 * * * *' },
];

describe('crons', () => {
  it('OPS-142 EXT-6 lists the jobs of the application by id, then those of the system', async () => {
    expect(await list()).toEqual([
      { id: 'Jobs.sweep', expression: '@every 60000ms' },
      { id: 'reports', expression: '*/5 * * * * *' },
      ...SYSTEM,
    ]);
  });

  it('OPS-142 lists the cleanup of rate limits only while they are on', async () => {
    const ids = async () => (await list()).map(({ id }: { id: string }) => id);
    await change({ rateLimits: { enabled: true } });
    expect(await ids()).toContain('__pbRateLimitersCleanup__');
    await change({ rateLimits: { enabled: false } });
    expect(await ids()).not.toContain('__pbRateLimitersCleanup__');
    expect((await run('__pbRateLimitersCleanup__')).status).toBe(404);
  });

  it('OPS-142 EXT-6 runs a job now, in the background', async () => {
    let open = () => {};
    jobs.gate = new Promise((resolve) => (open = resolve));
    expect((await run('reports')).status).toBe(204);
    expect(jobs.runs).toEqual(['reports']);
    open();
    expect((await run('Jobs.sweep')).status).toBe(204);
    await crons.idle();
    expect(jobs.runs).toEqual(['reports', 'sweep']);
    expect((await run('nothing')).status).toBe(404);
  });

  it('OPS-141 skips a job that is still running with a warning, and logs one that throws', async () => {
    let open = () => {};
    jobs.gate = new Promise((resolve) => (open = resolve));
    await run('reports');
    await run('reports');
    await run('Jobs.sweep');
    open();
    await crons.idle();
    await run('reports');
    await crons.idle();
    expect(jobs.runs).toEqual(['reports', 'sweep', 'reports']);
    const { body } = await roost.inject({ url: '/api/logs?filter=data.context%3D"Crons"&sort=rowid', token });
    expect(body.items.map(({ level, message }: { level: number; message: string }) => [level, message])).toEqual([
      [4, expect.stringContaining('reports')],
      [8, expect.stringContaining('a job that fails')],
    ]);
  });

  it('OPS-141 logs a job that throws what cannot be made a text', async () => {
    jobs.failure = Object.create(null);
    await run('Jobs.sweep');
    await crons.idle();
    const { body } = await roost.inject({ url: '/api/logs?filter=data.context%3D"Crons"', token });
    expect(body.items.map(({ message }: { message: string }) => message)).toEqual([
      'The job Jobs.sweep failed: [object Object]',
    ]);
  });

  it.each(SYSTEM.map(({ id }) => id))('OPS-142 %s runs without a failure', async (id) => {
    await run(id);
    await crons.idle();
    const { body } = await roost.inject({ url: '/api/logs?filter=data.context%3D"Crons"', token });
    expect(body.totalItems).toBe(0);
  });

  it('is for superusers', async () => {
    expect((await roost.inject({ url: '/api/crons' })).status).toBe(401);
    expect((await roost.inject({ method: 'POST', url: '/api/crons/reports' })).status).toBe(401);
  });

  it('runs nothing by itself unless the process serves', () => {
    expect(roost.app.get(SchedulerRegistry, { strict: false }).getCronJobs().size).toBe(0);
  });

  it('OPS-140 EXT-6 runs jobs by their schedule once mounted, and stops with the application', async () => {
    vi.useFakeTimers({
      now: Date.parse('2030-01-01T00:00:01Z'),
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    });
    try {
      crons.mount();
      await vi.advanceTimersByTimeAsync(61_000);
      expect(jobs.runs.filter((name) => name === 'reports')).toHaveLength(12);
      expect(jobs.runs.filter((name) => name === 'sweep')).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

@Injectable()
class Diary {
  readonly lines: string[] = [];

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  @Cron('*/5 * * * *', { name: 'often' })
  async often(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.note('often');
  }

  @Cron('30 1 * * *', { name: 'paris', timeZone: 'Europe/Paris' })
  paris(): void {
    this.note('paris');
    throw new Error('a job that fails');
  }

  @Cron('45 5 * * *', { name: 'delhi', utcOffset: 330 })
  delhi(): void {
    this.note('delhi');
  }

  @Cron('* * * * *', { name: 'never', disabled: true })
  never(): void {
    this.note('never');
  }

  @Interval('sweep', 20 * 60_000)
  sweep(): void {
    this.note('sweep');
  }

  private note(job: string): void {
    this.lines.push(`${new Date(this.clock.now()).toISOString().slice(11, 16)} ${job}`);
  }
}

@Module({ providers: [Diary] })
class DiaryModule {}

describe('a clock that a test turns', () => {
  it('EXT-50 OPS-140 runs the jobs that become due while time passes, each at its own time', async () => {
    const other = await startRoost({ imports: [DiaryModule] });
    try {
      const { lines } = other.app.get(Diary, { strict: false });
      other.clock.freeze(Date.parse('2030-01-01T00:00:00Z'));
      await other.clock.pass(16 * 60_000);
      const swept = lines.filter((line) => line.endsWith('sweep'));
      expect(swept.length).toBeLessThan(2);
      expect(lines.filter((line) => !swept.includes(line))).toEqual([
        '00:05 often',
        '00:10 often',
        '00:15 often',
        '00:15 delhi',
      ]);
      expect(other.clock.now()).toBe(Date.parse('2030-01-01T00:16:00Z'));
      await other.clock.pass(15 * 60_000);
      expect(lines.slice(4 + swept.length).filter((line) => !line.endsWith('sweep'))).toEqual([
        '00:20 often',
        '00:25 often',
        '00:30 often',
        '00:30 paris',
      ]);
      await other.clock.pass(60 * 60_000 - 31 * 60_000);
      expect(lines.filter((line) => line.endsWith('sweep'))).toHaveLength(3);
      expect(lines.some((line) => line.endsWith('never'))).toBe(false);
    } finally {
      await other.close();
    }
  });

  it('EXT-50 OPS-141 runs nothing when it is turned at once, and only jobs of its own application', async () => {
    const [one, two] = [
      await startRoost({ imports: [DiaryModule] }),
      await startRoost({ imports: [DiaryModule] }),
    ] as const;
    try {
      const lines = (of: TestRoost) => of.app.get(Diary, { strict: false }).lines;
      one.clock.advance(86_400_000);
      expect(lines(one)).toEqual([]);
      await one.clock.pass(300_000);
      expect(lines(one)).toHaveLength(1);
      expect(lines(two)).toEqual([]);
    } finally {
      await one.close();
      await two.close();
    }
  });

  it('EXT-50 OPS-107 runs what the settings have scheduled', async () => {
    const other = await startRoost();
    try {
      other.clock.freeze(Date.parse('2030-01-01T00:00:00Z'));
      const root = await other.createSuperuser();
      const backups = { cron: '0 3 * * *', cronMaxKeep: 5 };
      await other.inject({ method: 'PATCH', url: '/api/settings', token: root, body: { backups } });
      await other.clock.pass(2 * 86_400_000);
      expect(readdirSync(join(other.dir, 'backups')).filter((name) => name.endsWith('.zip'))).toEqual([
        '@auto_roost_backup_acme_20300101030000.zip',
        '@auto_roost_backup_acme_20300102030000.zip',
      ]);
    } finally {
      await other.close();
    }
  });
});

import { Injectable, Module } from '@nestjs/common';
import { Cron, Interval, SchedulerRegistry } from '@nestjs/schedule';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CronsService } from '../../src/crons/crons.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

@Injectable()
class Jobs {
  runs: string[] = [];
  gate: Promise<void> = Promise.resolve();

  @Cron('*/5 * * * * *', { name: 'reports' })
  async reports(): Promise<void> {
    this.runs.push('reports');
    await this.gate;
  }

  @Interval(60_000)
  async sweep(): Promise<void> {
    this.runs.push('sweep');
    throw new Error('a job that fails');
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

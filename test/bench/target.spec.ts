import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { RoostProcess } from '../support/roost-process.js';
import { startRoost } from '../support/roost.js';

const RUN = fileURLToPath(new URL('./run.mjs', import.meta.url));

interface Row {
  readonly group: string;
  readonly what: string;
  readonly posts?: number;
  readonly errors: number;
}

const SUPERUSER = { BENCH_EMAIL: 'root@example.com', BENCH_PASSWORD: '1234567890' };

describe('the workloads, on a server that runs already', () => {
  const dir = mkdtempSync(join(tmpdir(), 'roost-bench-spec-'));
  const json = join(dir, 'results.json');
  let roost: TestRoost;
  let origin: string;
  let before: string[];
  let rest: Row;
  let rows: readonly Row[];
  let output = '';

  async function names(): Promise<string[]> {
    const token = await roost.signIn('_superusers', 'root@example.com');
    const { body } = await roost.inject({ url: '/api/collections?perPage=200', token });
    return body.items.map(({ name }: { name: string }) => name).sort();
  }

  function start(args: readonly string[], env: Record<string, string>): RoostProcess {
    return new RoostProcess([`--target=${origin}`, ...args], { cwd: dir, main: RUN, env });
  }

  async function bench(args: readonly string[], env: Record<string, string>): Promise<number | null> {
    const { code, stdout, stderr } = await start(args, env).finished();
    output = stdout + stderr;
    return code;
  }

  beforeAll(async () => {
    roost = await startRoost();
    await roost.createSuperuser();
    origin = await roost.listen();
    before = await names();
    const sizes = ['--posts=60,200', '--seconds=0.02', '--connections=4', '--streams=30', `--pid=${process.pid}`];
    expect({ code: await bench([...sizes, `--json=${json}`], SUPERUSER), output }).toEqual({ code: 0, output });
    [rest, ...rows] = JSON.parse(readFileSync(json, 'utf8')).results.lists;
  });

  afterAll(async () => {
    await roost.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('cover creates, sign-ins, lists at every size, mixed load, batches, events and deletes, without an error', () => {
    const groups = rows.map(({ group, posts }) => (posts === undefined ? group : `${group} ${posts}`));
    expect([...new Set(groups)]).toEqual([
      'realtime',
      'create',
      'auth',
      'create 60',
      'list 60',
      'mixed 60',
      'create 200',
      'list 200',
      'mixed 200',
      'batch 200',
      'realtime 200',
      'files',
      'delete 200',
    ]);
    expect(rows.filter(({ errors }) => errors > 0)).toEqual([]);
    for (const { what } of rows) expect(output).toContain(what);
  });

  it('give rows of the documented shape', () => {
    for (const row of rows.filter(({ group, what }) => group !== 'batch' && !what.includes('idle'))) {
      expect(row).toMatchObject({
        group: expect.any(String),
        what: expect.any(String),
        connections: expect.any(Number),
        requests: expect.any(Number),
        'req/s': expect.any(Number),
        p50: expect.any(Number),
        p95: expect.any(Number),
        p99: expect.any(Number),
        errors: 0,
      });
    }
    const lists = rows.filter(({ group, what }) => group === 'list' && what === 'list 30 with total');
    expect(lists).toHaveLength(2);
    for (const list of lists) expect(list).toMatchObject({ ratio: expect.any(Number), to: 'the plain list' });
  });

  it('tell what the process takes that was named, at rest, for a request and for a stream', () => {
    expect(rest).toMatchObject({ MiB: expect.any(Number), figures: { 'resident MiB': expect.any(Number) } });
    expect(rows.find(({ what }) => what === '30 idle streams')).toMatchObject({
      MiB: expect.any(Number),
      figures: { 'KiB each': expect.any(Number) },
    });
    const upload = rows.find(({ what }) => what === 'upload of 1 MiB');
    expect(upload).toMatchObject({ 'CPU ms': expect.any(Number), MiB: expect.any(Number) });
  });

  it('say what the server does not do, and why', () => {
    const [batch] = rows.filter(({ group }) => group === 'batch');
    expect(batch).toEqual({
      group: 'batch',
      what: expect.any(String),
      posts: 200,
      missing: expect.stringMatching(/403/),
    });
  });

  it('leave nothing behind', async () => {
    expect(await names()).toEqual(before);
  });

  it('leave nothing behind when they fail, and fail visibly', async () => {
    const wrong = { ...SUPERUSER, BENCH_PASSWORD: 'wrong' };
    expect(await bench(['--posts=60'], wrong)).not.toBe(0);
    expect(await bench(['--posts=none'], wrong)).not.toBe(0);
    expect(output).toContain('--posts');
    expect(await bench(['--posts=60'], {})).not.toBe(0);
    expect(output).toContain('BENCH_EMAIL');
    expect(await bench(['start'], SUPERUSER)).not.toBe(0);
    expect(output).toContain('--command');
    expect(await names()).toEqual(before);
  });

  it('leave nothing behind when they are interrupted', async () => {
    const running = start(['--posts=100000'], SUPERUSER);
    await vi.waitUntil(async () => (await names()).length > before.length, { timeout: 60_000 });
    expect((await running.stop('SIGINT')).code).toBe(130);
    expect(await names()).toEqual(before);
  });
});

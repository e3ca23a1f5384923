import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const RUN = fileURLToPath(new URL('./run.mjs', import.meta.url));

interface Row {
  readonly group: string;
  readonly what: string;
  readonly posts?: number;
  readonly errors: number;
}

describe('the workloads, on a server that runs already', () => {
  const dir = mkdtempSync(join(tmpdir(), 'roost-bench-spec-'));
  const json = join(dir, 'results.json');
  let roost: TestRoost;
  let origin: string;
  let before: string[];
  let rows: readonly Row[];
  let output = '';

  async function names(): Promise<string[]> {
    const token = await roost.signIn('_superusers', 'root@example.com');
    const { body } = await roost.inject({ url: '/api/collections?perPage=200', token });
    return body.items.map(({ name }: { name: string }) => name).sort();
  }

  async function bench(args: readonly string[], env: Record<string, string>): Promise<number> {
    const { PATH } = process.env;
    const child = spawn(process.execPath, [RUN, `--target=${origin}`, ...args], { env: { PATH, ...env } });
    output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return code;
  }

  beforeAll(async () => {
    roost = await startRoost();
    await roost.createSuperuser();
    origin = await roost.listen();
    before = await names();
    const env = { BENCH_EMAIL: 'root@example.com', BENCH_PASSWORD: '1234567890' };
    const sizes = ['--posts=60,200', '--seconds=0.02', '--connections=4'];
    expect({ code: await bench([...sizes, `--json=${json}`], env), output }).toEqual({ code: 0, output });
    rows = JSON.parse(readFileSync(json, 'utf8')).results.lists;
  });

  afterAll(async () => {
    await roost.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('cover creates, sign-ins, lists at every size, mixed load, batches, events and deletes, without an error', () => {
    const groups = rows.map(({ group, posts }) => (posts === undefined ? group : `${group} ${posts}`));
    expect([...new Set(groups)]).toEqual([
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
      'delete 200',
    ]);
    expect(rows.filter(({ errors }) => errors > 0)).toEqual([]);
    for (const { what } of rows) expect(output).toContain(what);
  });

  it('give rows of the documented shape', () => {
    for (const row of rows.filter(({ group }) => group !== 'batch')) {
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
    const wrong = { BENCH_EMAIL: 'root@example.com', BENCH_PASSWORD: 'wrong' };
    expect(await bench(['--posts=60'], wrong)).not.toBe(0);
    expect(await bench(['--posts=none'], wrong)).not.toBe(0);
    expect(output).toContain('--posts');
    expect(await bench(['--posts=60'], {})).not.toBe(0);
    expect(output).toContain('BENCH_EMAIL');
    expect(await names()).toEqual(before);
  });
});

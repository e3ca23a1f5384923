// @module-tag alone: replaces a module that Roost would have loaded already.
import { constants, getPriority, setPriority } from 'node:os';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

vi.mock('node:os', async (importOriginal) => {
  const os = await importOriginal<typeof import('node:os')>();
  return { ...os, setPriority: vi.fn(os.setPriority) };
});

let roost: TestRoost;
beforeAll(async () => {
  roost = await startRoost();
});
afterAll(() => roost.close());

it('OPS-87 many entries are written by a process that gets the processor when nothing else wants it', async () => {
  const token = await roost.createSuperuser();
  await Promise.all(Array.from({ length: 250 }, () => roost.inject({ url: '/api/health' })));
  const url = `/api/logs?filter=${encodeURIComponent("message ~ 'health'")}`;
  const written = async () => (await roost.inject({ url, token })).body.totalItems;
  await expect.poll(written).toBe(250);
  const processes = vi.mocked(setPriority).mock.calls.map(([pid]) => pid);
  expect(processes.map((pid) => getPriority(pid))).toEqual([constants.priority.PRIORITY_LOW]);
});

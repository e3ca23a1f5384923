import { syncBuiltinESMExports } from 'node:module';
import os, { constants, getPriority } from 'node:os';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const setPriority = vi.spyOn(os, 'setPriority');
syncBuiltinESMExports();

let roost: TestRoost;
beforeAll(async () => {
  roost = await startRoost();
});
afterAll(async () => {
  await roost.close();
  setPriority.mockRestore();
  syncBuiltinESMExports();
});

it('OPS-87 many entries are written by a process that gets the processor when nothing else wants it', async () => {
  const token = await roost.createSuperuser();
  await Promise.all(Array.from({ length: 250 }, () => roost.inject({ url: '/api/health' })));
  const url = `/api/logs?filter=${encodeURIComponent("message ~ 'health'")}`;
  const written = async () => (await roost.inject({ url, token })).body.totalItems;
  await expect.poll(written).toBe(250);
  const processes = setPriority.mock.calls.map(([pid]) => pid);
  expect(processes.map((pid) => getPriority(pid))).toEqual([constants.priority.PRIORITY_LOW]);
});

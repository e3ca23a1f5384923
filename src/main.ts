#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

// Loading the program makes much garbage. A young generation that does not grow with it saves some 30 MiB of resident
// memory for good; `serve` lets it grow again once it listens.
setFlagsFromString('--semi-space-growth-factor=1');

const { supervised } = await import('./supervise.js');

// A parent of workers does not even load what only they need.
if (!(await supervised())) {
  const { runRoost } = await import('./run-roost.js');
  await runRoost({ imports: [] });
}

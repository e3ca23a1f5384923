#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { keepTick } from './keep-tick.js';

// Loading the program creates much garbage. Without growing the young generation the process stays some 30 MiB smaller;
// `serve` lets it grow again once it listens.
setFlagsFromString('--semi-space-growth-factor=1');
keepTick();

const { supervised } = await import('./supervise.js');

// The modules of the application are not even loaded in a parent of workers.
if (!(await supervised())) {
  const { runRoost } = await import('./run-roost.js');
  await runRoost({ imports: [] });
}

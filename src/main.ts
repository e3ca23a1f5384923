#!/usr/bin/env node
import { executionAsyncResource } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';

// Loading the program creates much garbage. Without growing the young generation the process stays some 30 MiB smaller;
// `serve` lets it grow again once it listens.
setFlagsFromString('--semi-space-growth-factor=1');

// Keeps one entry of Node's queue of ticks. Without any at a garbage collection, as while the program is loaded, V8
// forgets the shape of such entries and what it learnt of them: each later tick would take four times as long, which is
// a twelfth of a small answer.
process.nextTick(() => Object.assign(globalThis, { [Symbol.for('roost.tick')]: executionAsyncResource() }));

const { supervised } = await import('./supervise.js');

// The modules of the application are not even loaded in a parent of workers.
if (!(await supervised())) {
  const { runRoost } = await import('./run-roost.js');
  await runRoost({ imports: [] });
}

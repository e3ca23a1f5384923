#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';

// Loading the program makes much garbage. A young generation that does not grow with it saves some 30 MiB of resident
// memory for good; `serve` lets it grow again once it listens.
setFlagsFromString('--semi-space-growth-factor=1');
// Large answers and bodies are short-lived. Left alone, V8 looks for garbage when there is up to four times as much memory
// as was in use, which is what a process then keeps (OPS-39).
setFlagsFromString('--heap-growing-percent=40');
const { runRoost } = await import('./run-roost.js');

await runRoost({ imports: [] });

#!/usr/bin/env node
import { runRoost } from './run-roost.js';

await runRoost({ imports: [] });

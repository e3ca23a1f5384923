import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll } from 'vitest';
import { MOST_MEMORY } from './support/most-memory.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

// Most of what a file leaves is garbage, which is no reason to load Roost and its libraries again in another process.
afterAll(() => {
  if (process.memoryUsage().heapUsed > MOST_MEMORY) collectGarbage();
});

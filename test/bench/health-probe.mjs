// Asks a server again and again whether it is well, from a process of its own: the first argument is its address.
// To every message it answers with the longest wait since the one before, in ms, one that goes on included.
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE = 5;
const url = new URL('/api/health', process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longest = 0;
let since;

process.on('message', () => {
  const now = performance.now();
  process.send(Math.max(longest, since === undefined ? 0 : now - since));
  longest = 0;
  // What was reported does not count again.
  if (since !== undefined) since = now;
});
process.on('disconnect', () => process.exit());

for (;;) {
  since = performance.now();
  await ask();
  longest = Math.max(longest, performance.now() - since);
  since = undefined;
  await sleep(PAUSE);
}

/** A server that has ended gives no answer; that is told by others. */
function ask() {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => response.resume().once('end', resolve)).once('error', resolve);
  });
}

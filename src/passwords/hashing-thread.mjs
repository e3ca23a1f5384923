// Computes and compares bcrypt hashes in a thread of its own: one request at a time, one answer each.
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { compareSync, hashSync } from 'bcrypt';

// A lower priority than the main thread. Only Linux has priorities of single threads.
try {
  if (process.platform === 'linux') setPriority(0, 5);
} catch {
  // Without the permission it runs at the same priority.
}

parentPort.on('message', ({ kind, plain, salt }) => {
  try {
    parentPort.postMessage({ result: kind === 'hash' ? hashSync(plain, salt) : compareSync(plain, salt) });
  } catch (error) {
    parentPort.postMessage({ error: error.message });
  }
});

// A worker that answers with its id, until it is told to do nothing any more.
import { createServer } from 'node:http';

process.on('message', (message) => {
  if (message === 'block') for (;;);
});
createServer((request, response) => response.end(String(process.pid))).listen(0, '127.0.0.1');

import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Systems hand out ports from 32768 on (Linux) or 49152 on (others) to whoever asks for any, and for connections.
 * Browsers and `fetch` refuse some below 11000.
 */
const [LOWEST, BEYOND] = [11_000, 32_768];

/**
 * A port of the loopback on which nobody listens at this moment, and which the system gives to nobody meanwhile:
 * it stays free until it is listened on, and while a server that had it is started again.
 */
export async function freePort(): Promise<number> {
  const candidate = LOWEST + Math.floor(Math.random() * (BEYOND - LOWEST));
  return (await isFree(candidate)) ? candidate : freePort();
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

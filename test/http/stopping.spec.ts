import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify, type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { letGoOfConnections } from '../../src/http/stopping.js';

let server: FastifyInstance;
let port: number;
let finish: () => void;
const sockets: Socket[] = [];

beforeEach(async () => {
  server = fastify({ forceCloseConnections: 'idle' });
  letGoOfConnections(server);
  const finished = new Promise<void>((resolve) => (finish = resolve));
  server.get('/slow', () => finished.then(() => 'done'));
  await server.listen({ port: 0, host: '127.0.0.1' });
  port = (server.server.address() as AddressInfo).port;
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.server.closeAllConnections();
});

async function open(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

it('OPS-195 a stopping server does not wait for connections that never asked for anything', async () => {
  const socket = await open();
  await sleep(20);
  const closed = once(socket, 'close');
  await server.close();
  await closed;
});

it('OPS-195 a stopping server finishes what runs, and then lets go of the connection', async () => {
  const socket = await open();
  socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  let answer = '';
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString()));
  await sleep(50);
  const closed = once(socket, 'close');
  const closing = server.close();
  await sleep(50);
  expect(answer).toBe('');
  finish();
  await closing;
  await closed;
  expect(answer).toMatch(/^HTTP\/1\.1 200[^]*done$/);
});

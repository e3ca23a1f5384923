import { once } from 'node:events';
import { connect } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

/**
 * Sends one request without a body again and again, over a connection of its own, until a time (by `performance.now()`),
 * and adds each answer to a measurement. A client library has more to do with an answer than a quick route has; this looks
 * at little more than its length, so that the server is busy before its client is. Every answer has to be as long as the
 * first, and a success.
 */
export async function repeat(origin, { path, headers = {} }, { until, measurement }) {
  const { hostname, port, host } = new URL(origin);
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  let length;
  let received = 0;
  let isFine = true;
  let started = performance.now();
  socket.on('data', (chunk) => {
    if (received === 0) {
      isFine = chunk.latin1Slice(9, 10) === '2';
      length ??= lengthOf(chunk.latin1Slice());
    }
    received += chunk.length;
    if (received < length) return;
    const now = performance.now();
    measurement.add(now - started, isFine && received === length);
    received = 0;
    started = now;
    if (now < until) socket.write(head);
    else socket.end();
  });
  socket.write(head);
  await once(socket, 'close');
}

/** Of a whole answer, whose head has come in one piece. */
function lengthOf(text) {
  const body = /\r\ncontent-length: (\d+)/i.exec(text);
  if (!body || !text.includes(END_OF_HEAD)) throw new Error('Only answers with a content-length can be repeated.');
  return text.indexOf(END_OF_HEAD) + END_OF_HEAD.length + Number(body[1]);
}

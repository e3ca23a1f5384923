import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RoostResponse } from '../../src/http/adapter/roost-response.js';

type Handler = (response: RoostResponse, url: string) => void;

let server: Server | undefined;
let keepAliveTimeout = 0;

afterEach(() => {
  keepAliveTimeout = 0;
  vi.restoreAllMocks();
  server?.closeAllConnections();
  server?.close();
});

/** What comes back for requests that are sent at once on one connection; the last asks for its end. */
async function ask(handler: Handler, ...requests: readonly string[]): Promise<string> {
  server = createServer({ keepAliveTimeout, ServerResponse: RoostResponse }, ({ url }, response) => {
    response.sendDate = false;
    handler(response as RoostResponse, url!);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const last = requests.length - 1;
  socket.write(
    requests
      .map((line, i) => `${line} HTTP/1.1\r\nHost: a\r\n${i === last ? 'Connection: close\r\n' : ''}\r\n`)
      .join(''),
  );
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  await once(socket, 'close');
  return Buffer.concat(parts).toString();
}

const body = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4);

describe('an answer that is there as a whole', () => {
  it('is handed to the system in one piece', async () => {
    const lists = vi.spyOn(Socket.prototype as unknown as { _writev: () => void }, '_writev');
    const answer = await ask((response) => {
      response.setHeader('content-length', 5);
      response.end('süß');
    }, 'GET /');
    expect(answer).toBe('HTTP/1.1 200 OK\r\ncontent-length: 5\r\nConnection: close\r\n\r\nsüß');
    expect(lists).not.toHaveBeenCalled();
  });

  it.each<[string, Handler, string]>([
    ['a text', (response) => response.end('text'), 'text'],
    ['a text in another encoding', (response) => response.end('c3a4', 'hex'), 'ä'],
    ['bytes', (response) => response.end(Buffer.from('bytes')), 'bytes'],
    ['nothing', (response) => response.end(), ''],
    ['an empty text', (response) => response.end(''), ''],
    [
      'a text after others',
      (response) => void (response.write('a'), response.write('b'), response.end('c')),
      '1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n',
    ],
    ['a text after the head', (response) => void (response.flushHeaders(), response.end('c')), '1\r\nc\r\n0\r\n\r\n'],
    [
      'a text of unknown length',
      (response) => void (response.setHeader('transfer-encoding', 'chunked'), response.end('text')),
      '4\r\ntext\r\n0\r\n\r\n',
    ],
    [
      'a text with a trailer',
      (response) => {
        response.setHeader('trailer', 'x-sum');
        response.setHeader('transfer-encoding', 'chunked');
        response.addTrailers({ 'x-sum': '7' });
        response.end('text');
      },
      '4\r\ntext\r\n0\r\nx-sum: 7\r\n\r\n',
    ],
    ['much more than fits into one write', (response) => response.end('ä'.repeat(2_000_000)), 'ä'.repeat(2_000_000)],
  ])('arrives: %s', async (_, handler, expected) => {
    const answer = body(await ask(handler, 'GET /'));
    expect(answer.length).toBe(expected.length);
    expect(answer === expected).toBe(true);
  });

  it('tells of its end once it is sent, and calls back', async () => {
    const told: string[] = [];
    await ask((response) => {
      response.on('finish', () => told.push('finish'));
      response.end('text', () => told.push('callback'));
      expect(told).toEqual([]);
      expect([response.writableEnded, response.headersSent]).toEqual([true, true]);
    }, 'GET /');
    expect(told.sort()).toEqual(['callback', 'finish']);
  });

  it('waits for its turn where several were asked for at once', async () => {
    const waiting: (() => void)[] = [];
    const answer = await ask(
      (response, url) => {
        waiting.push(() => response.end(url));
        if (waiting.length === 3) for (const answerIt of waiting.reverse()) answerIt();
      },
      'GET /1',
      'GET /2',
      'GET /3',
    );
    expect(answer.match(/\/\d$|\/\d(?=HTTP)/gm)).toEqual(['/1', '/2', '/3']);
  });

  it.each([
    [0, 'timeout=72'],
    [5_000, 'timeout=5'],
  ])('says how long its connection is kept where Node ends it after %j ms', async (milliseconds, said) => {
    keepAliveTimeout = milliseconds;
    const answer = await ask((response) => response.end(), 'GET /', 'GET /');
    expect(answer.match(/^(Connection|Keep-Alive): .*$/gm)).toEqual([
      'Connection: keep-alive',
      `Keep-Alive: ${said}`,
      'Connection: close',
    ]);
  });

  it('has no body where the request asks for none', async () => {
    expect(body(await ask((response) => response.end('text'), 'HEAD /'))).toBe('');
    expect(
      body(
        await ask((response) => {
          response.statusCode = 204;
          response.end('text');
        }, 'GET /'),
      ),
    ).toBe('');
  });
});

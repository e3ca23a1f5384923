import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

describe('bodies in chunks', () => {
  let roost: TestRoost;
  let origin: URL;
  beforeAll(async () => {
    roost = await startRoost();
    await roost.createCollections({
      name: 'posts',
      type: 'base',
      createRule: '',
      fields: [{ name: 'title', type: 'text', max: 100_000 }],
    });
    origin = new URL(await roost.listen());
  });
  afterAll(() => roost.close());

  /** Sends a record whose title comes in so many chunks of so many letters; the head of the answer, '' for none. */
  async function create(chunks: number, letters: number, type = 'application/json'): Promise<string> {
    const socket = connect(Number(origin.port), origin.hostname).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    let answer = '';
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('data', (bytes: Buffer) => (answer += bytes.toString()));
    const lines = ['POST /api/collections/posts/records HTTP/1.1', 'Host: a', `Content-Type: ${type}`];
    socket.write([...lines, 'Transfer-Encoding: chunked', 'Connection: close', '', ''].join('\r\n'));
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    const [start, end] = type.includes('json')
      ? ['{"title":"', '"}']
      : ['--b\r\nContent-Disposition: form-data; name="title"\r\n\r\n', '\r\n--b--\r\n'];
    socket.write(`${chunk(start)}${chunk('x'.repeat(letters)).repeat(chunks)}${chunk(end)}0\r\n\r\n`);
    await closed;
    return answer.split('\r\n')[0]!;
  }

  it.each(['application/json', 'multipart/form-data; boundary=b'])(
    'OPS-39 almost byte by byte are cut off, %s',
    async (type) => {
      expect(await create(2_000, 1, type)).toBe('');
      expect(await create(50_000, 1, type)).toBe('');
      expect((await roost.inject({ url: '/api/health' })).status).toBe(200);
    },
  );

  it.each([
    [900, 1],
    [2_000, 20],
  ])('OPS-39 are read where they are few, or not that short: %d of %d letters', async (chunks, letters) => {
    expect(await create(chunks, letters)).toBe('HTTP/1.1 200 OK');
    expect(await create(chunks, letters, 'multipart/form-data; boundary=b')).toBe('HTTP/1.1 200 OK');
  });
});

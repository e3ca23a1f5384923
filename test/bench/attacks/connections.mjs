// Connections that are slow, silent or many, whatever they ask for.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { fill, posts as plainPosts } from '../attack-collections.mjs';
import { records } from '../attack-target.mjs';

const posts = { ...plainPosts, fields: [...plainPosts.fields, { name: 'html', type: 'editor' }] };

const head = (method, path, ...lines) => [`${method} ${path} HTTP/1.1`, 'Host: a', ...lines, '', ''].join('\r\n');
const create = (...lines) => head('POST', records('posts'), 'Content-Type: application/json', ...lines);

const form = head('POST', records('posts'), 'Content-Type: multipart/form-data; boundary=b', 'Content-Length: 500000');

/** As many connections as that, not all in the same moment. */
async function gradually(target, count, text) {
  const sockets = [];
  while (sockets.length < count) {
    sockets.push(...(await target.connections(25, text)));
    await sleep(25);
  }
  return sockets;
}

/** Each of these connections gets another piece of a text so many times a second, until the time is over. */
async function trickle(sockets, piece, { perSecond = 1, seconds = 10 } = {}) {
  for (let time = 0; time < seconds * perSecond; time += 1) {
    for (const socket of sockets) socket.write(piece);
    await sleep(1000 / perSecond);
  }
}

/** Each of these connections reads a byte a second. */
async function sip(sockets, seconds = 10) {
  for (let time = 0; time < seconds; time += 1) {
    for (const socket of sockets) socket.read(1);
    await sleep(1000);
  }
}

/** Pages that nobody reads, of records of this many characters. */
const unread = (name, { count, width, readers, lines = [], text = () => 'x'.repeat(width) }) => ({
  name,
  collections: [posts],
  rows: (db) => fill(db, count, { html: () => text() }),
  run: async (target) => {
    const path = (index, page = count) => `${records('posts')}?perPage=${page}&filter=title!='${index}'`;
    await sip(await target.connections(readers, (index) => head('GET', path(index), ...lines)));
    // Of the wide records, still more than is read at once.
    return target.waitOf('a page for somebody else', 'GET', path('other', 20));
  },
});

/** Forms with a text of this many bytes, which goes on. */
const unended = (name, { count, length }) => ({
  name,
  collections: [posts],
  run: async (target) => {
    const part = `--b\r\ncontent-disposition: form-data; name="title"\r\n\r\n${'x'.repeat(length)}`;
    const lines = ['Content-Type: multipart/form-data; boundary=b', 'Transfer-Encoding: chunked'];
    const start = head('POST', records('posts'), ...lines);
    await target.connections(count, `${start}${part.length.toString(16)}\r\n${part}\r\n`);
    await sleep(5000);
  },
});

/** Streams, which have no end, and requests on their connections, whose turn never comes. */
const behindStreams = (name, { streams, count, lines = [] }) => ({
  name,
  run: async (target) => {
    const sockets = await target.connections(streams, head('GET', '/api/realtime'));
    for (const socket of sockets) socket.write(head('GET', '/', ...lines).repeat(count));
    await sleep(5000);
  },
});

export const attacks = [
  behindStreams('a stream, then 500,000 requests on its connection', { streams: 1, count: 500_000 }),
  behindStreams('50 streams, then 20,000 requests on each of their connections', { streams: 50, count: 20_000 }),
  behindStreams('50 streams, then 200 heads of 2,000 lines on each of their connections', {
    streams: 50,
    count: 200,
    lines: Array.from({ length: 1900 }, (_, index) => `x${index.toString(36)}:`),
  }),
  unread('300 readers of a byte a second, pages of 500 KB', { count: 100, width: 5000, readers: 300 }),
  unread('100 readers of a byte a second, pages of 5 MB', { count: 500, width: 10_000, readers: 100 }),
  unread('100 readers of a byte a second, pages of 100 MB', { count: 100, width: 1_000_000, readers: 100 }),
  unread('300 readers of a byte a second, pages of 500 KB in brotli', {
    count: 100,
    text: () => randomBytes(5000).toString('base64').slice(0, 5000),
    readers: 300,
    lines: ['Accept-Encoding: br'],
  }),
  {
    name: '50 connections that ask 500 times for a page and read nothing',
    collections: [posts],
    rows: (db) => fill(db, 100, { html: () => 'x'.repeat(5000) }),
    run: async (target) => {
      const path = (index) => `${records('posts')}?perPage=100&filter=title!='${index}'`;
      await target.connections(50, (index) => head('GET', path(index)).repeat(500));
      await sleep(5000);
    },
  },
  {
    name: '300 bodies of a byte a second',
    collections: [posts],
    run: async (target) => trickle(await target.connections(300, create('Content-Length: 1000000')), '1'),
  },
  {
    name: '300 bodies in chunks of a byte',
    collections: [posts],
    run: async (target) =>
      trickle(await target.connections(300, create('Transfer-Encoding: chunked')), '1\r\n1\r\n', { perSecond: 20 }),
  },
  {
    name: '50 bodies in 250,000 chunks of a byte, as fast as they are read',
    collections: [posts],
    run: async (target) => {
      await target.connections(50, create('Transfer-Encoding: chunked') + '1\r\n1\r\n'.repeat(250_000));
      await sleep(5000);
    },
  },
  {
    name: '300 bodies of 200 KB without their last byte',
    collections: [posts],
    run: async (target) => {
      const body = `{"title":"${'x'.repeat(200_000)}"`;
      await target.connections(300, create(`Content-Length: ${body.length + 1}`) + body);
      await sleep(5000);
    },
  },
  {
    name: '50 bodies of 5 MB without their last byte',
    collections: [posts],
    run: async (target) => {
      const body = `{"title":"${'x'.repeat(5_000_000)}"`;
      await target.connections(50, create(`Content-Length: ${body.length + 1}`) + body);
      await sleep(5000);
    },
  },
  {
    name: '3,000 bodies of 240 KB without their last byte',
    collections: [posts],
    run: async (target) => {
      const body = `{"title":"${'x'.repeat(240_000)}"`;
      await gradually(target, 3000, create(`Content-Length: ${body.length + 1}`) + body);
      await sleep(5000);
    },
  },
  {
    name: '3,000 forms with 240 KB of text, without their end',
    collections: [posts],
    run: async (target) => {
      const part = `--b\r\ncontent-disposition: form-data; name="title"\r\n\r\n${'x'.repeat(240_000)}`;
      await gradually(target, 3000, form + part);
      await sleep(5000);
    },
  },
  {
    name: '1,000 files that come slowly',
    collections: [{ ...posts, fields: [{ name: 'file', type: 'file', maxSelect: 1, maxSize: 1_000_000 }] }],
    run: async (target) => {
      const part = `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`;
      const sockets = await gradually(target, 1000, form + part);
      await trickle(sockets, 'x'.repeat(40_000), { seconds: 6 });
    },
  },
  unended('300 forms without their end', { count: 300, length: 100_000 }),
  unended('50 forms with 10 MB of text, without their end', { count: 50, length: 10_000_000 }),
  {
    name: '1,000 idle connections',
    run: async (target) => {
      await target.connections(1000);
      await sleep(5000);
    },
  },
  {
    name: '1,500 idle connections to a server that may have 1,024 files',
    files: 1024,
    run: async (target) => {
      await target.connections(1500);
      // Connections that are younger than a second are left alone.
      await sleep(1500);
      return target.waitOf('somebody else', 'GET', '/api/health');
    },
  },
  {
    name: '1,000 heads of a byte a second',
    run: async (target) => trickle(await target.connections(1000, 'GET /api/health HTTP/1.1\r\nx-a: '), 'x'),
  },
  {
    name: '1,000 streams of one client, then 20 writes',
    collections: [posts],
    run: async (target) => {
      await target.connections(1000, head('GET', '/api/realtime'));
      await target.together(20, (index) => target.post('posts', { title: String(index) }));
    },
  },
  {
    name: '2,000 connections that come and go',
    run: async (target) => {
      for (let time = 0; time < 20; time += 1) {
        const sockets = await target.connections(100, head('GET', '/api/health'));
        for (const socket of sockets) socket.resetAndDestroy();
      }
    },
  },
  {
    name: '20 bodies of 30 MB in gzip',
    collections: [posts],
    prepare: () => gzipSync(`{"title":"${'x'.repeat(30_000_000)}"}`),
    run: (target, body) =>
      target.together(20, () => target.post('posts', body, { headers: { 'content-encoding': 'gzip' } })),
  },
  {
    name: '20 heads of 1 MB',
    run: (target) => target.together(20, () => target.raw('GET', '/api/health', { 'x-a': 'x'.repeat(1_000_000) })),
  },
  {
    name: '20 addresses of 1 MB',
    run: (target) => target.together(20, () => target.raw('GET', `/api/health?${'a=1&'.repeat(250_000)}`)),
  },
];

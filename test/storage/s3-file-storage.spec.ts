import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { interceptLocalhostDns } from 'fauxqs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { S3Settings } from '../../src/settings/settings.js';
import type { FileStorage } from '../../src/storage/file-storage.js';
import type { S3Timeouts } from '../../src/storage/s3-client.js';
import { S3FileStorage } from '../../src/storage/s3-file-storage.js';
import { fileStorageContract, newFile } from '../contracts/file-storage.js';
import { answerS3Error, S3Server } from '../support/s3-server.js';

const MIB = 1024 * 1024;

const IMPATIENT: S3Timeouts = { connect: 1000, idle: 300, refusal: 600, result: 1200 };

fileStorageContract('S3, path style', async () => {
  const server = await S3Server.open('files');
  const storage = new S3FileStorage(server.settings());
  return { storage, close: () => Promise.all([storage.close(), server.close()]).then(() => undefined) };
});

describe('names as hosts', () => {
  let restore: () => void;

  beforeAll(() => {
    restore = interceptLocalhostDns();
  });
  afterAll(() => restore());

  fileStorageContract('S3, virtual-host style', async () => {
    const server = await S3Server.open('files');
    const settings = server.settings({ forcePathStyle: false, endpoint: `http://s3.localhost:${server.port}` });
    const storage = new S3FileStorage(settings);
    return { storage, close: () => Promise.all([storage.close(), server.close()]).then(() => undefined) };
  });

  it('FS-45 FS-95 the bucket is in the path or in the host name', async () => {
    const server = await S3Server.open('files');
    try {
      for (const forcePathStyle of [true, false]) {
        const endpoint = `http://s3.localhost:${server.port}`;
        const storage = new S3FileStorage(server.settings({ forcePathStyle, endpoint }));
        await storage.stat('c/r/a');
        await storage.close();
      }
      expect(server.requests.map(({ host, url }) => [host.split(':')[0], url])).toEqual([
        ['s3.localhost', '/files/c/r/a'],
        ['files.s3.localhost', '/c/r/a'],
      ]);
    } finally {
      await server.close();
    }
  });
});

describe('a bucket', () => {
  let server: S3Server;
  let storage: S3FileStorage;
  let dir: string;
  const others: S3FileStorage[] = [];

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'roost-s3-'));
    server = await S3Server.open('files');
    storage = new S3FileStorage(server.settings());
  });

  afterEach(async () => {
    await Promise.all([storage, ...others.splice(0)].map((each) => each.close()));
    await server.close();
    await rm(dir, { recursive: true, force: true });
  });

  const write = async (key: string, content: string | Uint8Array) => storage.write(key, await newFile(dir, content));

  function other(change: Partial<S3Settings>, timeouts?: S3Timeouts): FileStorage {
    const opened = new S3FileStorage(server.settings(change), timeouts);
    others.push(opened);
    return opened;
  }

  const methods = () =>
    server.requests.map(({ method, url }) => `${method} ${url.replace(/uploadId=[^&]*/, 'uploadId')}`);

  it('FS-45 sends no ACL, makes no bucket, and no checksum nobody asked for', async () => {
    await write('c/r/a', 'content');
    expect(server.requests).toHaveLength(1);
    const { headers, method, url } = server.requests[0];
    expect(`${method} ${url}`).toMatch(/^PUT \/files\/c\/r\/a(\?x-id=PutObject)?$/);
    const names = Object.keys(headers);
    expect(names.filter((name) => /acl|grant|checksum|trailer/.test(name))).toEqual([]);
    expect(headers['content-md5']).toBeDefined();
  });

  it('FS-45 signs for the region of the settings', async () => {
    await other({ region: 'eu-central-1' }).stat('c/r/a');
    expect(server.requests[0].headers.authorization).toContain('/eu-central-1/s3/aws4_request,');
  });

  it('FS-47 sends files up to 6 MiB in one piece and larger ones in parts of at least that', async () => {
    await write('c/r/small', Buffer.alloc(6 * MIB));
    expect(methods()).toHaveLength(1);
    server.requests.length = 0;
    await write('c/r/large', Buffer.alloc(13 * MIB));
    const sent = methods();
    expect(sent[0]).toContain('POST /files/c/r/large?uploads');
    expect(sent.at(-1)).toMatch(/^POST \/files\/c\/r\/large\?.*uploadId/);
    const parts = server.requests.filter(({ method }) => method === 'PUT');
    expect(parts.map(({ headers }) => Number(headers['content-length'])).sort((a, b) => b - a)).toEqual([
      6 * MIB,
      6 * MIB,
      MIB,
    ]);
  });

  it('FS-47 gives a large upload up completely when a part fails', async () => {
    server.interfere = ({ method, url = '' }, response) => {
      if (method !== 'PUT' || !url.includes('partNumber=2')) return false;
      answerS3Error(response, 400, 'InvalidPart', 'No.');
      return true;
    };
    await expect(write('c/r/large', Buffer.alloc(13 * MIB))).rejects.toThrow('No.');
    expect(methods().at(-1)).toMatch(/^DELETE .*uploadId/);
    expect(await storage.stat('c/r/large')).toBeUndefined();
  });

  it('FS-46 deletes folders of any size, a thousand files at a time', async () => {
    for (let index = 0; index < 1005; index++) await server.put('files', `c/r/${index}`, 'x');
    await server.put('files', 'c2/r/a', 'x');
    await storage.deleteFolder('c/');
    expect(methods().filter((line) => line.startsWith('POST'))).toHaveLength(2);
    expect(methods().filter((line) => line.startsWith('DELETE'))).toEqual([]);
    const left = [];
    for await (const { key } of storage.list('')) left.push(key);
    expect(left).toEqual(['c2/r/a']);
  });

  it('FS-46 falls back to single deletes when the store refuses to delete several at once', async () => {
    for (const key of ['c/r/a', 'c/r/b', 'c/r/c']) await write(key, key);
    server.interfere = ({ method, url = '' }, response) => {
      if (method !== 'POST' || !url.includes('delete')) return false;
      answerS3Error(response, 501, 'NotImplemented', 'What is that?');
      return true;
    };
    server.requests.length = 0;
    await storage.deleteFolder('c/');
    expect(methods().filter((line) => line.startsWith('DELETE'))).toHaveLength(3);
    await write('c/r/d', 'd');
    server.requests.length = 0;
    await storage.deleteFolder('c/');
    expect(methods().filter((line) => line.startsWith('POST'))).toEqual([]);
  });

  it('FS-56 a wrong secret, a wrong key and a missing bucket are faults and not missing files', async () => {
    await write('c/r/a', 'content');
    await expect(other({ secret: 'wrong' }).open('c/r/a')).rejects.toThrow('signature');
    await expect(other({ accessKey: 'wrong' }).write('c/r/b', await newFile(dir, 'x'))).rejects.toThrow('signature');
    await expect(other({ secret: 'wrong' }).stat('c/r/a')).rejects.toThrow();
    await expect(other({ bucket: 'none' }).open('c/r/a')).rejects.toThrow(/bucket/i);
    await expect(other({ bucket: 'none' }).write('c/r/a', await newFile(dir, 'x'))).rejects.toThrow(/bucket/i);
  });

  it('FS-49 tries three times when the store stumbles, and then gives up', async () => {
    await write('c/r/a', 'content');
    let failures = 2;
    server.interfere = (_request, response) => {
      if (failures-- <= 0) return false;
      answerS3Error(response, 500, 'InternalError', 'Later.');
      return true;
    };
    expect(await text((await storage.open('c/r/a'))!.stream)).toBe('content');
    failures = Infinity;
    server.requests.length = 0;
    await expect(storage.open('c/r/a')).rejects.toThrow('Later.');
    expect(server.requests).toHaveLength(3);
    failures = 2;
    await write('c/r/b', 'also');
    expect(await storage.stat('c/r/b')).toMatchObject({ size: 4 });
  });

  it('FS-49 gives up a store that falls silent', async () => {
    server.interfere = () => true;
    await expect(other({}, IMPATIENT).open('c/r/a')).rejects.toThrow(/timed out/);
  });

  it('FS-49 a download that breaks or falls silent in the middle is an error and no short file', async () => {
    const content = Buffer.alloc(500_000, 'x');
    await write('c/r/a', content);
    for (const end of ['destroy', 'stall'] as const) {
      server.interfere = (_request, response) => {
        response.writeHead(200, { 'content-length': String(content.length) });
        response.write(content.subarray(0, 100_000));
        if (end === 'destroy') setTimeout(() => response.destroy(), 50);
        return true;
      };
      const { stream } = (await other({}, IMPATIENT).open('c/r/a'))!;
      await expect(buffer(stream), end).rejects.toThrow();
    }
  });

  /** Everything a store is asked to do that has an answer of its own. */
  const questions = async (asked: FileStorage): Promise<Record<string, () => Promise<unknown>>> => {
    const file = await newFile(dir, 'x');
    return {
      open: () => asked.open('c/r/a'),
      list: () => all(asked.list('c/')),
      delete: () => asked.delete('c/r/a'),
      deleteFolder: () => asked.deleteFolder('c/'),
      write: () => asked.write('c/r/a', file),
      copy: () => asked.copy('c/r/a', 'c/r/b'),
    };
  };

  it('FS-49 an answer that never ends is cut off before it fills the memory', async () => {
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    for (const status of [200, 403, 500]) {
      for (const [name, ask] of Object.entries(await questions(other({})))) {
        // Such an answer is no file.
        if (name === 'open' && status === 200) continue;
        let sent = 0;
        const closed = new Promise<void>((resolve) => {
          server.interfere = (request, response) => {
            request.resume();
            response.writeHead(status, { 'content-type': 'application/xml' });
            response.on('close', resolve);
            const send = () => {
              if (response.destroyed || sent > 100 * MIB) return void response.destroy();
              sent += chunk.length;
              response.write(chunk, send);
            };
            send();
            return true;
          };
        });
        await expect(ask(), `${name} ${status}`).rejects.toThrow('more than 16777216 bytes');
        await closed;
        expect(sent, `${name} ${status}`).toBeLessThan(60 * MIB);
      }
    }
  });

  it('FS-49 an answer that trickles is given up, a refusal sooner than a result', { timeout: 60_000 }, async () => {
    for (const [status, reason] of [
      [200, 'within 1.2 seconds'],
      [500, 'within 0.6 seconds'],
    ] as const) {
      const cut: Promise<void>[] = [];
      server.interfere = (request, response) => {
        request.resume();
        response.writeHead(status, { 'content-type': 'application/xml' });
        const timer = setInterval(() => response.write(' '), 50);
        cut.push(new Promise((resolve) => response.on('close', resolve)));
        response.on('close', () => clearInterval(timer));
        return true;
      };
      const asked = await questions(other({}, IMPATIENT));
      const answers = Object.entries(asked).filter(([name]) => status !== 200 || name !== 'open');
      await Promise.all(answers.map(([name, ask]) => expect(ask(), name).rejects.toThrow(reason)));
      await Promise.all(cut);
    }
  });

  it('FS-49 a result may take its time as long as the store works on it', async () => {
    await write('c/r/a', 'content');
    server.interfere = ({ headers }, response) => {
      if (headers['x-amz-copy-source'] === undefined) return false;
      response.writeHead(200, { 'content-type': 'application/xml' });
      const timer = setInterval(() => response.write(' '), 50);
      setTimeout(() => {
        clearInterval(timer);
        response.end('<CopyObjectResult><ETag>"a"</ETag></CopyObjectResult>');
      }, 900);
      return true;
    };
    await other({}, IMPATIENT).copy('c/r/a', 'c/r/b');
  });

  it('FS-48 a file that is longer than announced, or another part of it, is no file, and read no further', async () => {
    for (const headers of [
      { 'content-range': 'bytes 0-6/7' },
      { 'content-length': '7000', 'content-range': 'bytes 0-6999/7000' },
    ]) {
      const closed = new Promise<void>((resolve) => {
        server.interfere = (_request, response) => {
          response.writeHead(206, headers);
          response.write('content');
          response.on('close', resolve);
          return true;
        };
      });
      await expect(storage.open('c/r/a'), JSON.stringify(headers)).rejects.toThrow(/how long|another part/);
      await closed;
    }
    server.interfere = (_request, response) => {
      response.writeHead(200, { 'content-length': '7' });
      response.end('content');
      return true;
    };
    await expect(storage.open('c/r/a', { start: 2, end: 3 })).rejects.toThrow('another part');
  });

  it('FS-50 an object by which other tools mark a folder is no file', async () => {
    server.interfere = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/xml' });
      const contents = ['c/r/', 'c/r/a'].map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
      response.end(`<ListBucketResult>${contents}</ListBucketResult>`);
      return true;
    };
    expect(await all(storage.list(''))).toMatchObject([{ key: 'c/r/a' }]);
  });

  it('FS-49 a list that does not get on is given up', async () => {
    server.interfere = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/xml' });
      response.end(
        '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>' +
          '<Contents><Key>c/r/a</Key><Size>1</Size></Contents></ListBucketResult>',
      );
      return true;
    };
    await expect(all(storage.list('c/'))).rejects.toThrow('does not get on');
    expect(server.requests).toHaveLength(2);
  });

  it('FS-56 an answer that does not say how long the file is comes from something in between, and is no empty file', async () => {
    await write('c/r/a', 'content');
    server.interfere = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.write('<p>Please sign in to this network.</p>');
      response.end();
      return true;
    };
    await expect(storage.open('c/r/a')).rejects.toThrow('how long');
    await expect(storage.stat('c/r/a')).rejects.toThrow('how long');
  });

  it.each([
    ['PUT', 7],
    ['PUT', 7 * MIB],
    ['POST', 7 * MIB],
  ])(
    'FS-34 an answer to %s of something in between does not pass for a stored file, with %i bytes',
    async (method, size) => {
      server.interfere = (request, response) => {
        if (request.method !== method) return false;
        request.resume();
        request.on('end', () => {
          response.writeHead(200, { 'content-type': 'text/html' });
          response.end('<p>Please sign in to this network.</p>');
        });
        return true;
      };
      await expect(write('c/r/a', 'x'.repeat(size))).rejects.toThrow();
    },
  );

  it('FS-46 an answer of something in between does not pass for a copy', async () => {
    await write('c/r/a', 'content');
    server.interfere = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<p>Please sign in to this network.</p>');
      return true;
    };
    await expect(storage.copy('c/r/a', 'c/r/b')).rejects.toThrow();
  });

  it('OPS-12 a refusal without a body is told by its status', async () => {
    server.interfere = (_request, response) => {
      answerS3Error(response, 403, 'AccessDenied', 'No.');
      return true;
    };
    await expect(storage.stat('c/r/a')).rejects.toThrow('the store answered 403');
  });

  it('FS-48 a reader that goes away ends the request to the store', async () => {
    const closed = new Promise<void>((resolve) => {
      server.interfere = (_request, response) => {
        response.writeHead(200, { 'content-length': '100000000' });
        response.write(Buffer.alloc(100_000));
        response.on('close', resolve);
        return true;
      };
    });
    const { stream } = (await storage.open('c/r/a'))!;
    await new Promise((resolve) => stream.once('readable', resolve));
    stream.destroy();
    await closed;
  });

  it('FS-32 tells type and name as headers, and takes names of others as they are', async () => {
    await storage.write('c/r/a', await newFile(dir, 'x', { contentType: 'image/png', originalName: 'Ä b.png' }));
    expect(server.requests[0].headers).toMatchObject({
      'content-type': 'image/png',
      'x-amz-meta-original-filename': '%C3%84%20b.png',
    });
    server.interfere = (_request, response) => {
      response.writeHead(200, {
        'content-length': '1',
        'x-amz-meta-original-filename': '100%.png',
        'last-modified': 'Wed, 01 May 2024 10:00:00 GMT',
      });
      response.end();
      return true;
    };
    expect(await storage.stat('c/r/a')).toMatchObject({
      originalName: '100%.png',
      modified: new Date('2024-05-01T10:00:00Z'),
    });
  });

  it('FS-45 an endpoint without a scheme is meant as https', async () => {
    const storageOverTls = other({ endpoint: `127.0.0.1:${server.port}` });
    await expect(storageOverTls.stat('c/r/a')).rejects.toThrow(/SSL|EPROTO|packet length|disconnected|ECONNRESET/);
    expect(server.requests).toEqual([]);
  });
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ArrivingBytes } from '../../src/http/body/arriving-bytes.js';
import { MultipartForm, type MultipartOptions } from '../../src/http/body/multipart-form.js';
import { MAX_PART_HEADER, MAX_PART_HEADERS } from '../../src/http/body/part-headers.js';
import { EventLoopTurn } from '../../src/http/event-loop/event-loop-turn.js';
import { BadRequestError } from '../../src/kernel/errors/bad-request.error.js';
import { PayloadTooLargeError } from '../../src/kernel/errors/payload-too-large.error.js';
import { BOUNDARY, MULTIPART_TYPE, multipartBody, type FormPart } from '../support/multipart.js';
import { eventually } from '../support/eventually.js';

let tempDir: string;
let options: MultipartOptions;

beforeEach(async () => {
  tempDir = join(await mkdtemp(join(tmpdir(), 'roost-multipart-')), '.temp');
  options = {
    contentType: MULTIPART_TYPE,
    tempDir,
    maxBytes: 10_000_000,
    timeout: 10_000,
    enter: () => Promise.resolve(() => {}),
    bytesToKeep: () => 1_000_000,
    identify: async ({ originalName, path }) => ({
      name: `${originalName}!`,
      mimeType: `starts ${(await readFile(path)).subarray(0, 3)}`,
    }),
  };
});

afterEach(() => rm(join(tempDir, '..'), { recursive: true, force: true }));

function chunked(body: Buffer, cuts: readonly number[] = []): Readable {
  const at = [0, ...cuts.filter((cut) => cut > 0 && cut < body.length).sort((a, b) => a - b), body.length];
  const chunks = at.slice(1).map((end, index) => body.subarray(at[index], end));
  return Readable.from(
    chunks.filter((chunk) => chunk.length > 0),
    { objectMode: false },
  );
}

function read(parts: readonly FormPart[], overrides: Partial<MultipartOptions> = {}): Promise<MultipartForm> {
  return MultipartForm.read(chunked(multipartBody(parts)), { ...options, ...overrides });
}

async function tempFiles(): Promise<string[]> {
  return readdir(tempDir).catch(() => []);
}

describe('values and files of a form', () => {
  it('BODY-4 parts with a file name are files, the others values, in order', async () => {
    const form = await read([
      { key: 'title', content: 'Hällo' },
      { key: 'docs', content: 'first', fileName: 'C:\\dir\\ünï.txt', type: 'text/plain' },
      { key: 'n', content: '12' },
      { key: 'docs+', content: '', fileName: 'a/b/empty' },
      { key: 'n', content: '0.0' },
      { key: 'blob', content: 'no file', type: 'application/octet-stream' },
      { key: 'none', content: '', fileName: '', type: 'application/octet-stream' },
    ]);
    expect(form.values).toEqual({ title: 'Hällo', n: [12, '0.0'], blob: 'no file', none: '' });
    expect(form.files.map(({ key, upload }) => [key, upload.originalName, upload.size])).toEqual([
      ['docs', 'ünï.txt', 5],
      ['docs+', 'empty', 0],
    ]);
    expect(form.files[0].upload).toMatchObject({ name: 'ünï.txt!', mimeType: 'starts fir', truncated: false });
    expect(form.files[0].upload.md5).toBe(createHash('md5').update('first').digest('base64'));
    await form.dispose();
  });

  it('BODY-6 BAT-4 merges @jsonPayload and keeps the keys of batch files as they are', async () => {
    const form = await read([
      { key: '@jsonPayload', content: '{"requests":[{"method":"POST","url":"/x","body":{"n":"1"}}]}' },
      { key: 'requests.0.cover', content: 'a', fileName: 'a' },
      { key: 'requests[0].docs+', content: 'b', fileName: 'b' },
    ]);
    expect(form.values).toEqual({ requests: [{ method: 'POST', url: '/x', body: { n: '1' } }] });
    expect(form.files.map((file) => file.key)).toEqual(['requests.0.cover', 'requests[0].docs+']);
    await form.dispose();
  });

  it('BODY-1 an empty body is an empty form', async () => {
    const form = await MultipartForm.read(chunked(Buffer.alloc(0)), options);
    expect(form).toMatchObject({ values: {}, files: [] });
  });

  it('BODY-4 gives back every byte, wherever the network cuts the body', async () => {
    const part = fc.record({
      key: fc.constantFrom('a', 'b', 'c+', '+d', 'ü'),
      fileName: fc.option(fc.constantFrom('x.bin', 'y', '..', '日本.png'), { nil: undefined }),
      content: fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('', '\r\n', `\r\n--${BOUNDARY.slice(0, -1)}`, '--', `x--${BOUNDARY}--`),
      ),
    });
    const check = fc.asyncProperty(
      fc.array(part, { maxLength: 8 }),
      fc.array(fc.nat(3000), { maxLength: 30 }),
      async (parts, cuts) => {
        const sent = parts.map((one) => ({ ...one, content: Buffer.from(one.content) }));
        const form = await MultipartForm.read(chunked(multipartBody(sent), cuts), options);
        const files = sent.filter((one) => one.fileName !== undefined);
        expect(form.files.map((file) => file.key)).toEqual(files.map((file) => file.key));
        for (const [index, { upload }] of form.files.entries()) {
          expect(await readFile(upload.path)).toEqual(files[index].content);
          expect(upload).toMatchObject({ originalName: files[index].fileName, size: files[index].content.length });
        }
        expect(Object.keys(form.values).length).toBe(
          new Set(sent.filter((one) => !files.includes(one as never)).map((one) => one.key)).size,
        );
        await form.dispose();
        expect(await tempFiles()).toEqual([]);
      },
    );
    await fc.assert(check, { numRuns: 200 });
  });
});

describe('what is kept of a file', () => {
  it('FS-20 files go to a directory and with a mode nobody else can read', async () => {
    const form = await read([{ key: 'f', content: 'secret', fileName: 'f' }]);
    expect((await stat(tempDir)).mode & 0o777).toBe(0o700);
    expect((await stat(form.files[0].upload.path)).mode & 0o777).toBe(0o600);
    await form.dispose();
  });

  it('FS-16 a file that grows past its limit is drained, its bytes are not kept, and the rest is read', async () => {
    const form = await read(
      [
        { key: 'big', content: Buffer.alloc(300_000, 1), fileName: 'big' },
        { key: 'fits', content: Buffer.alloc(1000, 2), fileName: 'fits' },
        { key: 'after', content: 'read' },
      ],
      { bytesToKeep: () => 1000 },
    );
    expect(form.files.map(({ upload }) => [upload.size, upload.truncated])).toEqual([
      [300_000, true],
      [1000, false],
    ]);
    expect(await tempFiles()).toHaveLength(1);
    expect(form.values).toEqual({ after: 'read' });
    await form.dispose();
  });

  it('FS-16 parts nobody wants never touch the disk', async () => {
    const asked: string[] = [];
    const form = await read(
      ['a', 'x', 'a', 'a'].map((key) => ({ key, content: Buffer.alloc(100_000), fileName: 'f' })),
      { bytesToKeep: (key) => (asked.push(key) > 2 || key === 'x' ? undefined : 1_000_000) },
    );
    expect(asked).toEqual(['a', 'x', 'a', 'a']);
    expect(form.files).toHaveLength(1);
    expect(await tempFiles()).toHaveLength(1);
    await form.dispose();
    const none = await read([{ key: 'a', content: 'a', fileName: 'f' }], { bytesToKeep: () => undefined });
    expect(none.files).toEqual([]);
  });

  it('FS-22 disposing removes what is left and leaves alone what was moved away; twice is once', async () => {
    const form = await read([
      { key: 'a', content: 'a', fileName: 'a' },
      { key: 'b', content: 'b', fileName: 'b' },
    ]);
    await rm(form.files[0].upload.path);
    await form.dispose();
    await form.dispose();
    expect(await tempFiles()).toEqual([]);
  });
});

describe('bodies that are refused', () => {
  const file: FormPart = { key: 'f', content: Buffer.alloc(200_000), fileName: 'f' };

  async function refused(work: Promise<MultipartForm>, error: new () => Error): Promise<Error> {
    const caught = await work.then(
      () => undefined,
      (cause: Error) => cause,
    );
    expect(caught).toBeInstanceOf(error);
    expect(await tempFiles()).toEqual([]);
    return caught!;
  }

  it('OPS-34 a body that grows past the limit is refused while it is read', async () => {
    const body = chunked(multipartBody([file, file]), [50_000, 100_000, 300_000]);
    await refused(MultipartForm.read(body, { ...options, maxBytes: 250_000 }), PayloadTooLargeError);
  });

  it('OPS-34 a body of exactly the limit is read', async () => {
    const length = multipartBody([file]).length;
    await (await read([file], { maxBytes: length })).dispose();
    await refused(read([file], { maxBytes: length - 1 }), PayloadTooLargeError);
  });

  it('BODY-1 a body without, with a wrong or with a longer boundary than allowed is unreadable', async () => {
    const body = multipartBody([file]);
    for (const contentType of [
      'multipart/form-data',
      'multipart/form-data; boundary=other',
      `multipart/form-data; boundary=${'x'.repeat(300)}`,
    ]) {
      await refused(MultipartForm.read(chunked(body), { ...options, contentType }), BadRequestError);
    }
  });

  it('BODY-1 a body that ends too early is unreadable, wherever it ends', async () => {
    const body = multipartBody([
      { key: 'v', content: 'value' },
      { ...file, content: 'short file' },
    ]);
    for (let end = 1; end < body.length - 4; end++) {
      await refused(MultipartForm.read(chunked(body.subarray(0, end)), options), BadRequestError);
    }
  });

  it('BODY-6 a malformed payload is refused, also after files', async () => {
    await refused(read([file, { key: '@jsonPayload', content: '{' }, file]), BadRequestError);
  });

  it('FS-17 takes 1000 values and 1000 files and no more; a value may be long', async () => {
    const values = Array.from({ length: 1000 }, (_, index) => ({ key: `v${index}`, content: 'x' }));
    const files = Array.from({ length: 1000 }, (_, index) => ({ key: `f${index}`, content: 'x', fileName: 'x' }));
    const unwanted = { bytesToKeep: () => undefined };
    const form = await read([...values, ...files], unwanted);
    expect(Object.keys(form.values)).toHaveLength(1000);
    await refused(read([...values, { key: 'one', content: 'more' }], unwanted), BadRequestError);
    await refused(read([...files, { key: 'one', content: 'more', fileName: 'x' }], unwanted), BadRequestError);
    const long = await read([{ key: 'long', content: 'x'.repeat(3_000_000) }]);
    expect((long.values.long as string).length).toBe(3_000_000);
  });

  it('FS-17 takes many small files that arrive at once, and warns of nothing', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const form = await read(Array.from({ length: 100 }, (_, index) => ({ ...file, content: `${index}` })));
    expect(form.files).toHaveLength(100);
    await form.dispose();
    // Warnings are told in a turn of their own.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('OPS-39 has few of many small files open at once, and keeps them all', async () => {
    const parts = Array.from({ length: 900 }, (_, index) => ({ ...file, content: `${index}` }));
    let [open, most] = [0, 0];
    const identify: MultipartOptions['identify'] = async (part) => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open--;
      return options.identify(part);
    };
    const form = await read(parts, { identify });
    expect(form.files).toHaveLength(900);
    expect(most).toBeLessThan(150);
    await form.dispose();
  });

  it('OPS-39 gives back every byte of long texts, however they come', async () => {
    const part = fc.record({
      key: fc.constantFrom('a', 'b', 'file'),
      length: fc.constantFrom(0, 10, 70_000, 262_144, 262_145, 600_000),
      isFile: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), fc.integer({ min: 1, max: 200_000 }), async (drawn, cut) => {
        const contents = drawn.map(({ length }, index) => `${index}-`.repeat(length / 2 + 1).slice(0, length));
        const parts = drawn.map(({ key, isFile }, index) => ({
          key: `${key}${index}`,
          content: contents[index]!,
          ...(isFile && { fileName: 'a.txt' }),
        }));
        const body = multipartBody(parts);
        // Single bytes of a short body, never millions of pieces.
        const piece = Math.max(cut, Math.ceil(body.length / 2000));
        const cuts = Array.from({ length: Math.floor(body.length / piece) }, (_, index) => (index + 1) * piece);
        const unhurried = { ...options, timeout: Infinity, bytesToKeep: () => 1_000_000 };
        const form = await MultipartForm.read(chunked(body, cuts), unhurried);
        const texts = parts.filter((_, index) => !drawn[index]!.isFile).map(({ key, content }) => [key, content]);
        expect(form.values).toEqual(Object.fromEntries(texts));
        expect(form.files.map(({ upload }) => upload.size)).toEqual(
          drawn.filter(({ isFile }) => isFile).map(({ length }) => length),
        );
        await form.dispose();
        expect(await tempFiles()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('OPS-39 FS-22 has long texts on disk while they arrive, and not when the client has gone', async () => {
    const body = new PassThrough();
    const reading = MultipartForm.read(body, options);
    const [head] = multipartBody([{ key: 'note', content: 'x'.repeat(3_000_000) }])
      .toString()
      .split(`\r\n--${BOUNDARY}--`);
    body.write(head!);
    await eventually(async () => {
      const [name] = await tempFiles();
      expect((await stat(join(tempDir, name!))).size).toBeGreaterThan(2_000_000);
    });
    body.destroy();
    await expect(reading).rejects.toThrow(BadRequestError);
    expect(await tempFiles()).toEqual([]);
  });

  it('OPS-39 waits for room for long texts of any name', async () => {
    const lengths: number[] = [];
    const enter = (length: number) => {
      lengths.push(length);
      return Promise.resolve(() => {});
    };
    await read([{ key: 'a', content: 'x' }], { enter });
    expect(lengths).toEqual([]);
    const form = await read([{ key: 'long', content: 'é'.repeat(200_000) }], { enter });
    expect(lengths).toEqual([400_000]);
    expect(form.values.long).toBe('é'.repeat(200_000));
  });

  describe('headers of parts', () => {
    /** A part with a header of so many bytes, counted from its boundary to the empty line. */
    function withHeader(length: number, name: string, last: 'name' | 'filler'): Buffer {
      const disposition = `Content-Disposition: form-data; name="${name}"`;
      const filler = 'X-Filler: '.padEnd(length - `\r\n${disposition}\r\n`.length, 'x');
      const lines = last === 'name' ? [filler, disposition] : [disposition, filler];
      return Buffer.from(`--${BOUNDARY}\r\n${lines.join('\r\n')}\r\n\r\nvalue of ${name}\r\n`);
    }

    const closing = Buffer.from(`--${BOUNDARY}--\r\n`);
    const around = (part: Buffer) => Buffer.concat([multipartBody([{ key: 'a', content: '1' }], ''), part, closing]);

    it('FS-17 BODY-1 a header of any length is read whole or refused, wherever it is cut and its name stands', async () => {
      const length = fc.oneof(
        fc.integer({ min: 80, max: 1000 }),
        fc.integer({ min: MAX_PART_HEADER - 5, max: MAX_PART_HEADER + 5 }),
        fc.integer({ min: MAX_PART_HEADER, max: 4 * MAX_PART_HEADER }),
      );
      const property = fc.asyncProperty(
        length,
        fc.constantFrom('name' as const, 'filler' as const),
        fc.array(fc.oneof(fc.nat(2 * MAX_PART_HEADER), fc.integer({ min: -12, max: 12 })), { maxLength: 12 }),
        async (size, last, positions) => {
          const body = around(withHeader(size, 'long', last));
          // Those near zero stand for places near the end of the long header.
          const cuts = positions.map((cut) => (Math.abs(cut) <= 12 ? body.indexOf('\r\n\r\nvalue') + cut : cut));
          const reading = MultipartForm.read(chunked(body, cuts), options);
          if (size > MAX_PART_HEADER) await refused(reading, BadRequestError);
          else expect((await reading).values).toEqual({ a: 1, long: 'value of long' });
        },
      );
      await fc.assert(property, { numRuns: 300 });
    });

    it('OPS-39 FS-17 headers of all parts have 2 MiB together, whether they end or not', async () => {
      const header = 64 * 1024;
      const most = MAX_PART_HEADERS / header;
      for (const end of ['', 'cut']) {
        const parts = (count: number) =>
          Array.from({ length: count }, (_, index) => {
            const part = withHeader(header, `k${index}`, 'name');
            return end === '' ? part : Buffer.concat([part.subarray(0, part.indexOf('\r\n\r\n')), Buffer.from('\r\n')]);
          });
        const reading = (count: number) =>
          MultipartForm.read(chunked(Buffer.concat([...parts(count), closing]), [header]), options);
        await (await reading(most - 1)).dispose();
        expect(await refused(reading(most + 1), BadRequestError)).toMatchObject({
          message: 'The parts of the form have too long headers.',
        });
      }
    });

    it('FS-17 BODY-1 a part whose file name never ends is refused, and the files before it are gone', async () => {
      const endless = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="${'x'.repeat(100_000)}`;
      const body = Buffer.concat([multipartBody([file], ''), Buffer.from(`${endless}"\r\n\r\n1\r\n`), closing]);
      const error = await refused(MultipartForm.read(chunked(body, [150_000, 250_000]), options), BadRequestError);
      expect(error).toMatchObject({ status: 400, message: expect.stringContaining('header') as string });
    });

    it('BODY-1 a delimiter whose line goes on is refused, not read as a part without a name', async () => {
      const part = (rest: string) =>
        Buffer.from(`--${BOUNDARY}${rest}\r\nContent-Disposition: form-data; name="k"\r\n\r\nvalue\r\n`);
      for (const rest of [' ', '\t', 'x', '-', '- -']) {
        const body = around(part(rest));
        const at = body.indexOf(part(rest)) + 2 + BOUNDARY.length;
        for (const cuts of [[], [at], [at + 1]])
          await refused(MultipartForm.read(chunked(body, cuts), options), BadRequestError);
      }
      expect((await MultipartForm.read(chunked(around(part(''))), options)).values).toEqual({ a: 1, k: 'value' });
    });

    it('BODY-4 a header is only what stands before the empty line of a part', async () => {
      const text = 'x'.repeat(200_000);
      const body = multipartBody([
        { key: 'value', content: `--${BOUNDARY.slice(0, -1)}${text}` },
        { key: 'file', content: text, fileName: 'f' },
      ]);
      const preamble = Buffer.from(`${text}\r\n`);
      const epilogue = Buffer.from(`\r\n--${BOUNDARY}\r\n${text}`);
      for (const cuts of [[], [70_000, 140_000], [preamble.length + body.length - 3]]) {
        const form = await MultipartForm.read(chunked(Buffer.concat([preamble, body, epilogue]), cuts), options);
        expect(form.values).toHaveProperty('value');
        expect(form.files[0].upload.size).toBe(text.length);
        await form.dispose();
      }
    });
  });

  it('BODY-1 takes boundaries in quotes and with characters that need them', async () => {
    for (const [text, boundary] of [
      ['"a b:c"', 'a b:c'],
      ['"a\\"b"', 'a"b'],
      [`a'b_(c)+,-./=?%20`, `a'b_(c)+,-./=?%20`],
    ]) {
      const body = Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="k"\r\n\r\nv\r\n--${boundary}--`);
      const contentType = `multipart/form-data; charset=utf-8; boundary=${text}`;
      const form = await MultipartForm.read(chunked(body), { ...options, contentType });
      expect(form.values).toEqual({ k: 'v' });
    }
  });

  it('OPS-37 a body that does not arrive in time is refused', async () => {
    const body = new Readable({ read() {} });
    body.push(multipartBody([file], '').subarray(0, 100_000));
    await refused(MultipartForm.read(body, { ...options, timeout: 50 }), BadRequestError);
  });

  it('FS-20 a disk that does not take the file is our fault and not the request’s', async () => {
    const failed = read([file], { tempDir: '/dev/null/nowhere' }).catch((error: unknown) => error);
    expect(await failed).toMatchObject({ code: 'ENOTDIR' });
    expect(await failed).not.toHaveProperty('status');
  });

  it('FS-20 what naming a file throws ends the reading', async () => {
    const identify = () => Promise.reject(new Error('no name'));
    await refused(read([file], { identify }), Error);
  });
});

describe('connections', () => {
  let server: Server;
  let outcome: Promise<MultipartForm | Error>;

  beforeEach(async () => {
    let resolve: (result: MultipartForm | Error) => void;
    outcome = new Promise((settle) => (resolve = settle));
    server = createServer((request: IncomingMessage, response) => {
      void answer(request, response).then(resolve);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => server.close());

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<MultipartForm | Error> {
    try {
      return await MultipartForm.read(request, { ...options, maxBytes: 500_000 });
    } catch (error) {
      response.writeHead((error as { status?: number }).status ?? 500, { connection: 'close' });
      return error as Error;
    } finally {
      response.end('answered');
    }
  }

  const open = () =>
    httpRequest({
      port: (server.address() as AddressInfo).port,
      method: 'POST',
      headers: { 'content-type': MULTIPART_TYPE },
      host: '127.0.0.1',
    });

  it('FS-22 a client that goes away in the middle leaves nothing behind', async () => {
    const client = open();
    client.on('error', () => {});
    client.write(multipartBody([{ key: 'f', content: Buffer.alloc(100_000), fileName: 'f' }], '').subarray(0, 90_000));
    while ((await tempFiles()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    client.destroy();
    expect(await outcome).toBeInstanceOf(BadRequestError);
    expect(await tempFiles()).toEqual([]);
  });

  it('OPS-34 a client that is still sending gets its 413', async () => {
    const client = open();
    client.on('error', () => {});
    const answered = once(client, 'response');
    client.write(multipartBody([{ key: 'f', content: Buffer.alloc(600_000), fileName: 'f' }], ''));
    const [response] = (await answered) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    client.destroy();
    expect(await tempFiles()).toEqual([]);
  });
});

it('FS-20 a directory that was taken away while running is made again', async () => {
  await (await read([{ key: 'f', content: 'x', fileName: 'f' }])).dispose();
  await rm(tempDir, { recursive: true });
  const form = await read([{ key: 'f', content: 'x', fileName: 'f' }]);
  expect(await tempFiles()).toHaveLength(1);
  await form.dispose();
});

describe('forms of which many come at once', () => {
  const text = 'x'.repeat(20_000);
  let othersHadTheirTurn: () => void;
  beforeEach(() => {
    const others = new Promise<void>((resolve) => (othersHadTheirTurn = resolve));
    const begin = vi.spyOn(EventLoopTurn.prototype, 'begin').mockReturnValueOnce(others);
    onTestFinished(() => begin.mockRestore());
  });

  it('OPS-39 wait for their turn', async () => {
    let isRead = false;
    const reading = read([{ key: 'title', content: text }]).finally(() => (isRead = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isRead).toBe(false);
    othersHadTheirTurn();
    expect((await reading).values).toEqual({ title: text });
  });

  it('OPS-39 do not wait where there is no room for what waits', async () => {
    const arriving = new ArrivingBytes(0);
    expect((await read([{ key: 'title', content: text }], { arriving })).values).toEqual({ title: text });
    expect(arriving.has(0)).toBe(true);
  });

  it('OPS-39 keep no room when they are given up while they wait', async () => {
    const arriving = new ArrivingBytes(30_000);
    const reading = read([{ key: 'title', content: text }], { arriving, timeout: 20 });
    await expect(reading).rejects.toThrow('did not arrive in time');
    expect(arriving.has(20_000)).toBe(false);
    othersHadTheirTurn();
    await expect.poll(() => arriving.has(30_000)).toBe(true);
  });
});

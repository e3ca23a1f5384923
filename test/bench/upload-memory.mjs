// How much memory uploads take: one of 200 MiB, then 20 of 5 MiB at once (FS-20). Run after `npm run build:server`.
// The receiving half runs in a process of its own, so that the sender's memory is not counted.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MIB = 1024 * 1024;
const BOUNDARY = 'bench';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

if (process.argv[2] === 'receive') await receive();
else await send();

async function receive() {
  const dist = process.env.ROOST_DIST ?? new URL('../../dist/', import.meta.url).href;
  const { MultipartForm } = await import(`${dist}http/multipart-form.js`);
  const dir = await mkdtemp(join(tmpdir(), 'roost-bench-'));
  const options = {
    tempDir: join(dir, '.temp'),
    contentType: TYPE,
    maxBytes: 1024 * MIB,
    timeout: 60_000,
    bytesToKeep: () => 1024 * MIB,
    identify: async () => ({ name: 'bench', mimeType: 'application/octet-stream' }),
  };
  const server = createServer((incoming, response) => {
    MultipartForm.read(incoming, options).then(
      async (form) => {
        const size = form.files.reduce((sum, file) => sum + file.upload.size, 0);
        await form.dispose();
        response.end(String(size));
      },
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let peak = process.memoryUsage().rss;
  setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
  process.on('message', async (message) => {
    if (message === 'mark') {
      peak = process.memoryUsage().rss;
      process.send({ rss: peak });
    } else if (message === 'peak') {
      process.send({ rss: peak });
    } else {
      await rm(dir, { recursive: true, force: true });
      process.exit(0);
    }
  });
  process.send({ port: server.address().port });
}

async function send() {
  const receiver = fork(new URL(import.meta.url), ['receive']);
  const ask = async (question) => {
    const answer = once(receiver, 'message');
    receiver.send(question);
    return (await answer)[0].rss;
  };
  const [{ port }] = await once(receiver, 'message');
  await upload(port, MIB);
  for (const [name, count, size] of [
    ['1 x 200 MiB', 1, 200 * MIB],
    ['20 x 5 MiB at once', 20, 5 * MIB],
  ]) {
    const before = await ask('mark');
    const start = performance.now();
    await Promise.all(Array.from({ length: count }, () => upload(port, size)));
    const seconds = (performance.now() - start) / 1000;
    const grown = ((await ask('peak')) - before) / MIB;
    const rate = (count * size) / MIB / seconds;
    console.log(`${name.padEnd(20)} RSS +${grown.toFixed(1)} MiB (limit 64), ${rate.toFixed(0)} MiB/s`);
  }
  receiver.send('end');
}

async function upload(port, size) {
  const client = request({ host: '127.0.0.1', port, method: 'POST', headers: { 'content-type': TYPE } });
  const answered = once(client, 'response');
  const block = Buffer.alloc(64 * 1024, 'roost');
  client.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n`);
  for (let sent = 0; sent < size; sent += block.length) if (!client.write(block)) await once(client, 'drain');
  client.end(`\r\n--${BOUNDARY}--\r\n`);
  const [response] = await answered;
  let text = '';
  for await (const chunk of response) text += chunk;
  if (Number(text) !== size) throw new Error(`Received ${text} instead of ${size} bytes.`);
}

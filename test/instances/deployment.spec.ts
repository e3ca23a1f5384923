import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../support/free-port.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { Redis } from '../support/redis.js';
import { MAIN, RoostProcess } from '../support/roost-process.js';
import { S3_SECRET, S3Server } from '../support/s3-server.js';
import { SseReader } from '../support/sse-reader.js';

const DEPLOY = new URL('../../docs/deploy/', import.meta.url).pathname;
const NGINX = '/usr/sbin/nginx';
const hasNginx = spawnSync(NGINX, ['-v']).status === 0;
const KEY = '0123456789abcdef0123456789abcdef';

/** The environment of the instances as the compose file has it, with the addresses that its services have here. */
function environmentOf(addresses: Readonly<Record<string, string>>): Record<string, string> {
  const secrets: Record<string, string> = {
    APP_URL: 'https://roost.example.com',
    POSTGRES_PASSWORD: 'unused',
    REDIS_PASSWORD: 'unused',
    ROOST_KEY: KEY,
    S3_ACCESS_KEY: 'test',
    S3_SECRET,
  };
  const text = readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8').replaceAll(
    /\$\{(\w+):\?\}/g,
    (_, name: string) => secrets[name]!,
  );
  const { services } = parse(text, { merge: true }) as {
    services: Record<string, { environment: Record<string, string> }>;
  };
  return { ...services['roost-1']!.environment, ...addresses, ROOST_MIGRATIONS_DIR: join(DEPLOY, 'migrations') };
}

/** The proxy of the example, with addresses of this machine and files that it may write. */
async function startProxy(dir: string, upstreams: readonly string[], port: number): Promise<ChildProcess> {
  const [one, two] = upstreams;
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  const text = readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8')
    .replace('roost-1:8090', one!)
    .replace('roost-2:8090', two!)
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('http {', `http {\n${places.join('\n')}`);
  writeFileSync(join(dir, 'nginx.conf'), text);
  const args = ['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'error.log'), '-g', `pid ${dir}/pid;`];
  execFileSync(NGINX, ['-t', ...args], { stdio: 'pipe' });
  const child = spawn(NGINX, [...args.slice(0, -1), `pid ${dir}/pid; daemon off;`], { stdio: 'ignore' });
  for (;;) {
    if (await isOpen(port)) return child;
    if (child.exitCode !== null) throw new Error(readFileSync(join(dir, 'error.log'), 'utf8'));
    await sleep(20);
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve((socket.destroy(), true)));
    socket.once('error', () => resolve(false));
  });
}

describe.skipIf(PostgresCluster.programs === undefined || !hasNginx)('the example of a deployment', () => {
  let dir: string;
  let cluster: PostgresCluster;
  let redis: Redis;
  let s3: S3Server;
  let env: Record<string, string>;
  const instances: RoostProcess[] = [];
  let proxy: ChildProcess;
  let port: number;
  let token = '';

  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: token, ...(init.headers as Record<string, string>) };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
    const text = await response.text();
    // Tests look into answers of every shape.
    // oxlint-disable-next-line typescript/no-explicit-any
    return { status: response.status, text, body: (text.startsWith('{') ? JSON.parse(text) : undefined) as any };
  };
  const json = (body: unknown): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const roost = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [MAIN, ...args], { cwd: dir, env: { ...process.env, ...env } });

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'roost-deployment-'));
    [cluster, redis, s3] = await Promise.all([PostgresCluster.start(), Redis.start(), S3Server.open()]);
    env = environmentOf({
      DATABASE_URL: await cluster.newDatabase(),
      REDIS_URL: redis.url,
      S3_ENDPOINT: `http://127.0.0.1:${s3.port}`,
    });
    // What the container `migrate` does.
    const script = [join(DEPLOY, 'create-bucket.mjs')];
    await promisify(execFile)(process.execPath, script, { env: { ...process.env, ...env } });
    await promisify(execFile)(process.execPath, script, { env: { ...process.env, ...env } });
    await roost('migrate', 'up', `--dir=${dir}/migrate`);
    await roost('superuser', 'upsert', 'a@example.com', 'correct horse', `--dir=${dir}/command`);
    for (const name of ['one', 'two']) {
      const instance = new RoostProcess(['serve', '--http=127.0.0.1:0', `--dir=${dir}/${name}`], { cwd: dir, env });
      instances.push(instance);
      await instance.address();
    }
    port = await freePort();
    const upstreams = await Promise.all(instances.map(async (each) => new URL(await each.address()).host));
    const place = join(dir, 'proxy');
    mkdirSync(place);
    proxy = await startProxy(place, upstreams, port);
    const login = json({ identity: 'a@example.com', password: 'correct horse' });
    token = (await ask('/api/collections/_superusers/auth-with-password', login)).body.token as string;
    const fields = [
      { name: 'title', type: 'text' },
      { name: 'document', type: 'file', maxSize: 10_000_000 },
      { name: 'picture', type: 'file', maxSize: 20_000_000, thumbs: ['90x60'] },
    ];
    await ask('/api/collections', json({ name: 'papers', type: 'base', listRule: '', viewRule: '', fields }));
  }, 120_000);

  afterAll(async () => {
    proxy?.kill('SIGTERM');
    if (proxy) await once(proxy, 'exit');
    for (const instance of instances) await instance.stop();
    await Promise.all([cluster?.stop(), redis?.stop(), s3?.close()]);
    rmSync(dir, { recursive: true, force: true });
  });

  it('SCALE-28 SCALE-25 keeps files in the bucket from the first start, larger ones than proxies like', async () => {
    const body = new FormData();
    body.set('title', 'large');
    body.set('document', new Blob([new Uint8Array(3_000_000)]), 'large.bin');
    const { status, body: record } = await ask('/api/collections/papers/records', { method: 'POST', body });
    expect(status).toBe(200);
    const path = `/api/files/papers/${record.id}/${record.document}`;
    for (let asked = 0; asked < 4; asked++) expect((await ask(path)).text.length).toBe(3_000_000);
    expect(s3.requests.some(({ method, url }) => method === 'GET' && url.includes(record.document))).toBe(true);
  });

  it('SCALE-25 makes a thumbnail once, whichever instances are asked at the same time', async () => {
    const noise = {
      width: 1600,
      height: 1600,
      channels: 3,
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    } as const;
    const picture = await sharp({ create: { ...noise, background: '#000' } })
      .png()
      .toBuffer();
    const body = new FormData();
    body.set('picture', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'noise.png');
    const { body: record } = await ask('/api/collections/papers/records', { method: 'POST', body });
    const path = `/api/files/papers/${record.id}/${record.picture}?thumb=90x60`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(path)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text.length}`)).size).toBe(1);
    expect(answers[0]!.text.length).toBeLessThan(picture.length / 10);
    const made = s3.requests.filter(({ method, url }) => method === 'PUT' && /90x60_[^/]*png(\?|$)/.test(url));
    expect(made).toHaveLength(1);
  });

  it('SCALE-28 passes realtime on as it comes, wherever it is subscribed', async () => {
    const streams = [];
    for (let count = 0; count < 4; count++) {
      const stream = await SseReader.connect({ port });
      const subscribed = await ask('/api/realtime', json({ clientId: stream.clientId, subscriptions: ['papers'] }));
      expect(subscribed.status).toBe(204);
      streams.push(stream);
    }
    await ask('/api/collections/papers/records', json({ title: 'heard of' }));
    for (const stream of streams) {
      const [event] = await stream.receive(1);
      expect(JSON.parse(event!.data)).toMatchObject({ action: 'create', record: { title: 'heard of' } });
      stream.close();
    }
  });

  it('SCALE-28 knows the address of a client, and does not believe what the client says it is', async () => {
    const { body } = await ask('/api/health', { headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect(body.data.realIP).toBe('127.0.0.1');
    const settings = await ask('/api/settings');
    expect(settings.body).toMatchObject({
      meta: { appURL: 'https://roost.example.com' },
      trustedProxy: { headers: ['X-Forwarded-For'] },
      s3: { enabled: true, bucket: 'roost' },
    });
  });

  it('SCALE-28 has probes that tell an instance without its database from one that does not answer', async () => {
    const text = readFileSync(join(DEPLOY, 'kubernetes/deployment.yaml'), 'utf8');
    const [container] = parse(text).spec.template.spec.containers as Record<string, { httpGet: { path: string } }>[];
    const probe = async (name: string) =>
      (await fetch(`${await instances[0]!.address()}${container![name]!.httpGet.path}`)).status;
    const all = async () => [await probe('startupProbe'), await probe('readinessProbe'), await probe('livenessProbe')];
    expect(await all()).toEqual([200, 200, 200]);
    await cluster.pause();
    await expect.poll(() => probe('readinessProbe')).toBe(503);
    expect(await probe('livenessProbe')).toBe(200);
    await cluster.resume();
    await expect.poll(() => probe('readinessProbe')).toBe(200);
  });
});

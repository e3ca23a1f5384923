import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RoostProcess } from '../support/roost-process.js';
import { SseReader } from '../support/sse-reader.js';

/** An answer; `body` is its parsed JSON. */
export interface Answer {
  readonly status: number;
  // Tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** What is asked: each request has a connection of its own, so that one worker after the other gets one. */
export interface Ask {
  readonly method?: string;
  readonly url: string;
  readonly body?: unknown;
  readonly token?: string;
}

/** The built program with several workers on a data directory of its own. */
export class WorkersServer {
  token = '';
  port = 0;

  private constructor(
    readonly dir: string,
    readonly process: RoostProcess,
  ) {}

  static async start({
    workers = 2,
    args = [],
  }: { workers?: number; args?: readonly string[] } = {}): Promise<WorkersServer> {
    const dir = mkdtempSync(join(tmpdir(), 'roost-workers-'));
    const flags = [`--workers=${workers}`, '--http=127.0.0.1:0', `--dir=${dir}/data`, ...args];
    const server = new WorkersServer(dir, new RoostProcess(['serve', ...flags], { cwd: dir }));
    server.port = Number(new URL(await server.process.address()).port);
    await server.until(() => server.process.stdout.includes(`${workers} workers serve.`));
    return server;
  }

  /** The processes that serve, by their ids. */
  workers(): number[] {
    const parent = this.process.child.pid!;
    return readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  }

  /** Creates a superuser with the command, beside the running server, and signs in as it. */
  async signIn(): Promise<void> {
    const main = join(import.meta.dirname, '../../dist/main');
    execFileSync(
      process.execPath,
      [main, 'superuser', 'upsert', 'a@example.com', 'correct horse', `--dir=${this.dir}/data`],
      {
        cwd: this.dir,
      },
    );
    const { body } = await this.ask({
      method: 'POST',
      url: '/api/collections/_superusers/auth-with-password',
      body: { identity: 'a@example.com', password: 'correct horse' },
    });
    this.token = body.token as string;
  }

  ask({ method = 'GET', url, body, token = this.token }: Ask): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          port: this.port,
          host: '127.0.0.1',
          agent: false,
          method,
          path: url,
          headers: {
            connection: 'close',
            ...(token !== '' && { authorization: token }),
            ...(text !== undefined && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(text),
            }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const answer = Buffer.concat(chunks).toString();
            resolve({ status: response.statusCode!, body: answer === '' ? undefined : JSON.parse(answer) });
          });
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  }

  /** The same request of every worker, and of each more than once. */
  async askAll(wanted: Ask, workers = 2): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let count = 0; count < workers * 2; count++) answers.push(await this.ask(wanted));
    return answers;
  }

  /** Streams on one worker after the other, each subscribed through whichever worker gets the request. */
  async streams(count: number, topics: readonly string[], token = ''): Promise<SseReader[]> {
    const readers: SseReader[] = [];
    for (let index = 0; index < count; index++) readers.push(await SseReader.connect({ port: this.port }));
    for (const reader of readers) {
      const body = { clientId: reader.clientId, subscriptions: topics };
      // Twice, so that one of both is asked of a worker that does not hold the stream.
      for (let count = 0; count < 2; count++) {
        const { status } = await this.ask({ method: 'POST', url: '/api/realtime', body, token });
        if (status !== 204) throw new Error(`The subscription was answered with ${status}.`);
      }
    }
    return readers;
  }

  /** As `streams`, some of them on each worker. */
  async spreadStreams(topics: readonly string[]): Promise<SseReader[]> {
    for (;;) {
      const readers = await this.streams(4, topics);
      // Each worker tells of its own.
      const answers = await this.askAll({ url: '/api/insights' });
      const counts = answers.map(({ body }) => body.streams as number);
      if (counts.every((count) => count > 0 && count < 4)) return readers;
      for (const reader of readers) reader.close();
      await this.until(async () =>
        (await this.askAll({ url: '/api/insights' })).every(({ body }) => body.streams === 0),
      );
    }
  }

  async until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
    for (const end = Date.now() + 30_000; !(await isTrue());) {
      if (Date.now() > end) throw new Error(`It did not come to be so.\n${this.process.stdout}${this.process.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    await this.process.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

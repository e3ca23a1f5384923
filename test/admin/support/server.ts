import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import PocketBase, { type RecordModel } from 'pocketbase';
import { RoostProcess } from '../../support/roost-process.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MAIN = join(ROOT, 'dist/main.js');
const START_LIMIT = 40_000;

export const EMAIL = 'root@example.com';
export const PASSWORD = 'a-long-password';

/** What the browser tests ask of a server. */
export interface RunningServer {
  readonly api: PocketBase;
  readonly url: string;
  stop(): Promise<void>;
}

/** A built Roost as a process of its own, on a data directory of its own. */
export class Server implements RunningServer {
  /** The SDK, signed in as the superuser. */
  readonly api: PocketBase;

  private constructor(
    private readonly process: RoostProcess,
    readonly dir: string,
    readonly url: string,
    /** The token of the printed setup link. */
    readonly setupToken: string,
  ) {
    this.api = new PocketBase(url);
    this.api.autoCancellation(false);
  }

  /** Starts a server; with `setup: false` it stays without a superuser. */
  static async start({ setup = true, args = [] as string[] } = {}): Promise<Server> {
    if (!existsSync(MAIN) || !existsSync(join(ROOT, 'dist/admin/client/index.html'))) {
      throw new Error('The browser tests drive the built server: run `npm run build` first.');
    }
    const dir = mkdtempSync(join(tmpdir(), 'roost-admin-'));
    const child = new RoostProcess(['serve', `--dir=${join(dir, 'data')}`, '--http=127.0.0.1:0', ...args], {
      cwd: dir,
    });
    const { url, token } = await Server.started(child);
    const server = new Server(child, dir, url, token);
    if (setup) {
      const answer = await server.api.send<{ token: string; record: RecordModel }>('/api/setup', {
        method: 'POST',
        body: { email: EMAIL, password: PASSWORD, passwordConfirm: PASSWORD, token },
      });
      server.api.authStore.save(answer.token, answer.record);
    }
    return server;
  }

  /** Reads the output until the address and the setup link are there, which a new data directory always gets. */
  private static started({ child }: RoostProcess): Promise<{ url: string; token: string }> {
    return new Promise((resolve, reject) => {
      let output = '';
      const limit = setTimeout(() => reject(new Error(`The server did not start:\n${output}`)), START_LIMIT);
      const read = (chunk: Buffer) => {
        output += chunk.toString();
        const url = /started at (http:\S+)/.exec(output)?.[1];
        // To its end, whatever piece of it has come so far.
        const token = /pbinstall\/(\S+)\s/.exec(output)?.[1];
        if (!url || !token) return;
        clearTimeout(limit);
        resolve({ url, token });
      };
      child.stdout!.on('data', read);
      child.stderr!.on('data', read);
      child.on('exit', (code) => reject(new Error(`The server ended with ${code}:\n${output}`)));
    });
  }

  async stop(): Promise<void> {
    const cut = setTimeout(() => this.process.child.kill('SIGKILL'), 15_000);
    try {
      await this.process.stop();
    } finally {
      clearTimeout(cut);
      rmSync(this.dir, { recursive: true, force: true });
    }
  }
}

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import ts from 'typescript';
import { launchChromium } from '../../support/chromium.js';

const TESTS = fileURLToPath(new URL('../../', import.meta.url));
const SDK = join(dirname(createRequire(import.meta.url).resolve('pocketbase')), 'pocketbase.es.mjs');
const HTML = `<!doctype html><title>An app</title><button>Sign in</button>
<script type="importmap">{ "imports": { "pocketbase": "/pocketbase.mjs" } }</script>
<script type="module" src="/browser/support/kit.js"></script>`;

/** A page of an origin of its own, as an app has one, with the SDK as it was published. */
export class ForeignPage {
  /** Uncaught errors, and what the browser blocked. */
  readonly complaints: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly browser: Browser,
    readonly page: Page,
  ) {
    page.on('pageerror', (error) => this.complaints.push(`uncaught: ${error.message}`));
    page.on('console', (message) => {
      if (/CORS|blocked|Content Security/i.test(message.text())) this.complaints.push(message.text());
    });
  }

  /** Opens the page in Chromium, for a Roost at this address. */
  static async open(roost: string): Promise<ForeignPage> {
    const server = createServer((request, response) => {
      const path = new URL(request.url!, 'http://page').pathname;
      response.setHeader('content-type', path === '/' ? 'text/html' : 'text/javascript').end(contentOf(path));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const browser = await launchChromium();
    const opened = new ForeignPage(server, browser, await (await browser.newContext()).newPage());
    const { port } = server.address() as AddressInfo;
    await opened.page.goto(`http://127.0.0.1:${port}/?roost=${encodeURIComponent(roost)}`);
    await opened.page.waitForFunction(() => window.kit);
    return opened;
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** The page, the SDK, and modules of the tests by their paths, without their types. */
function contentOf(path: string): string {
  if (path === '/') return HTML;
  if (path === '/pocketbase.mjs') return readFileSync(SDK, 'utf8');
  if (!path.endsWith('.js')) return '';
  const source = readFileSync(join(TESTS, path.replace(/js$/, 'ts')), 'utf8');
  const { ESNext } = ts.ModuleKind;
  return ts.transpileModule(source, { compilerOptions: { module: ESNext, target: ts.ScriptTarget.ES2023 } }).outputText;
}

import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Page } from 'playwright-core';
import { AdminBrowser, type AdminPage, type OpenOptions } from './browser.js';
import { type RunningServer, Server } from './server.js';

/** What the tests of one file share: a server, a browser, and pages that are closed after each test. */
export interface AdminSuite<Kind extends RunningServer = Server> {
  readonly server: Kind;
  open(place: string, options?: OpenOptions): Promise<Page>;
}

/**
 * Starts a server and a browser for a file. After each test its pages are closed, and the test fails when one of them
 * complained: an error on the console, an uncaught one, a breach of the content security policy.
 */
export function adminSuite(prepare?: (server: Server) => Promise<void>, args: string[] = []): AdminSuite {
  return adminSuiteOf(() => Server.start({ args }), prepare);
}

/** The same on a server that is started in another way. */
export function adminSuiteOf<Kind extends RunningServer>(
  begin: () => Promise<Kind>,
  prepare?: (server: Kind) => Promise<void>,
): AdminSuite<Kind> {
  let server: Kind;
  let browser: AdminBrowser;
  let opened: AdminPage[] = [];
  const start = async () => {
    server = await begin();
    await prepare?.(server);
    browser = await AdminBrowser.launch(server);
  };
  const stop = async () => {
    await browser?.close();
    await server?.stop();
  };
  beforeAll(start, 120_000);
  afterEach(async () => {
    const complaints = opened.flatMap((each) => each.complaints);
    await Promise.all(opened.map((each) => each.context.close()));
    opened = [];
    expect(complaints).toEqual([]);
  });
  afterAll(stop);
  return {
    get server() {
      return server;
    },
    open: async (place, options) => {
      const result = await browser.open(place, options);
      opened.push(result);
      return result.page;
    },
  };
}

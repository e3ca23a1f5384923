import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import { launchChromium } from '../../support/chromium.js';
import { EMAIL, PASSWORD, type RunningServer } from './server.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

export interface OpenOptions {
  readonly width?: number;
  readonly height?: number;
  /** A phone: fingers instead of a pointer, and a page that could be zoomed out. */
  readonly touch?: boolean;
  readonly scheme?: 'light' | 'dark';
  /** False opens the page without a session. */
  readonly signedIn?: boolean;
  /** Parts of console messages and uncaught errors that this test provokes on purpose. */
  readonly expected?: readonly string[];
  /** Is given the page before it goes anywhere. */
  readonly prepare?: (page: Page) => void;
}

/** A page of the admin UI, with everything the browser complained about. */
export interface AdminPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors on the console, uncaught ones and breaches of the content security policy. */
  readonly complaints: string[];
}

/** What each page has asked for and has no answer to yet. */
const unanswered = new WeakMap<Page, Set<Request>>();

/** Milliseconds in which what was drawn asks for more, if it does. */
const ASKS_WITHIN = 50;

/** Chromium on the admin UI of a server. */
export class AdminBrowser {
  private constructor(
    private readonly browser: Browser,
    private readonly server: RunningServer,
  ) {}

  static async launch(server: RunningServer): Promise<AdminBrowser> {
    return new AdminBrowser(await launchChromium(), server);
  }

  /** Opens a place, such as `/collections/posts`, in a fresh profile. */
  async open(place: string, options: OpenOptions = {}): Promise<AdminPage> {
    const {
      width = 1440,
      height = 900,
      scheme = 'light',
      signedIn = true,
      touch = false,
      expected = [],
      prepare,
    } = options;
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      hasTouch: touch,
      isMobile: touch,
      acceptDownloads: true,
      permissions: ['clipboard-read', 'clipboard-write'],
      timezoneId: 'Europe/Vienna',
      // What still moves can come away from under a click between the press of the button and its release.
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(12_000);
    watchRequests(page);
    const complaints: string[] = [];
    // A refused request is also reported by the browser itself; the screen has to show it, so it is no complaint.
    const ignored = ['Failed to load resource', ...expected];
    page.on('console', (message) => {
      if (message.type() === 'error' && !ignored.some((each) => message.text().includes(each))) {
        complaints.push(message.text());
      }
    });
    page.on('pageerror', ({ message }) => {
      if (!expected.some((each) => message.includes(each))) complaints.push(`uncaught: ${message}`);
    });
    if (signedIn) {
      const { token, record } = this.server.api.authStore;
      // Only once per profile: a later sign-out must stay one.
      await page.addInitScript(
        ([key, value]) => {
          // The viewer of documents and the preview of mails have frames without a store.
          if (window.origin === 'null' || !window.sessionStorage || sessionStorage.getItem('seeded')) return;
          sessionStorage.setItem('seeded', '1');
          localStorage.setItem(key!, value!);
        },
        ['roost_admin_auth', JSON.stringify({ token, record })],
      );
    }
    prepare?.(page);
    await page.goto(`${this.server.url}/_/#${place}`);
    return { page, context, complaints };
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

function watchRequests(page: Page): Set<Request> {
  const waiting = new Set<Request>();
  unanswered.set(page, waiting);
  page.on('request', (request) => {
    // A stream of events has no end.
    if (request.resourceType() !== 'eventsource') waiting.add(request);
  });
  page.on('requestfinished', (request) => waiting.delete(request));
  page.on('requestfailed', (request) => waiting.delete(request));
  return waiting;
}

/**
 * Waits until a page has the answers to all it asked for, and has drawn them. Playwright's `networkidle` waits for half a
 * second once for each document, and not at all for what is asked later.
 */
export async function settled(page: Page): Promise<void> {
  const waiting = unanswered.get(page) ?? watchRequests(page);
  let hasAsked = true;
  const ask = () => (hasAsked = true);
  page.on('request', ask);
  while (hasAsked) {
    await expect.poll(() => waiting.size, { interval: 10 }).toBe(0);
    hasAsked = false;
    await page.evaluate(
      (more) => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, more)))),
      ASKS_WITHIN,
    );
  }
  page.off('request', ask);
}

/** What axe finds against WCAG A and AA, one line per element; empty when all is well. */
export async function violations(page: Page): Promise<string[]> {
  return violationsOf(page, WCAG);
}

/** What axe finds of it in the colours alone: enough where nothing else has changed since the last look. */
export async function violationsInColours(page: Page): Promise<string[]> {
  return violationsOf(page, { type: 'rule', values: ['color-contrast', 'link-in-text-block'] });
}

async function violationsOf(page: Page, runOnly: string[] | { type: 'rule'; values: string[] }): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(async (only) => {
    // Panels that are still sliding in have colours between two.
    await Promise.all(document.getAnimations().map((each) => each.finished.catch(() => undefined)));
    // What is behind a dialog cannot be reached, and is a screen of its own: it would only be looked at twice.
    const dialogs = [...document.querySelectorAll('[aria-modal="true"]')];
    const behind = dialogs.length > 0 ? [document.querySelector('#root')!, ...dialogs.slice(0, -1)] : [];
    const { axe } = window as unknown as {
      axe: {
        run(
          context: { include: Node[]; exclude: Node[] },
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const result = await axe.run(
      { include: [document], exclude: behind },
      { runOnly: only, resultTypes: ['violations'] },
    );
    return result.violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary.replaceAll(/\s+/g, ' ')}`),
    );
  }, runOnly);
}

/**
 * What cannot be reached because it lies beyond the page, or makes the page scroll sideways; empty when all is well.
 */
export async function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (element: Element | null): boolean =>
      element !== null && (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const found = [
      ...document.querySelectorAll('[role="dialog"], [role="menu"], main, button, input, [role="textbox"]'),
    ]
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        return width > 0 && (right > innerWidth + 1 || left < -1) && !scrolls(element.parentElement);
      })
      .map((element) => element.outerHTML.slice(0, 160));
    return document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways', ...found] : found;
  });
}

/** Signs in through the form. */
export async function signIn(page: Page, password = PASSWORD): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(EMAIL);
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

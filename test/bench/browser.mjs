import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { WebSocket } from 'undici';

const PROGRAM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  '--remote-debugging-port=0',
  '--window-size=1440,900',
];

/**
 * Chromium, driven by as little of the DevTools protocol as can be, because what a page does is measured. Libraries for
 * tests of browsers watch each page and add worlds of their own to it: a first visit took a quarter longer.
 */
export class Browser {
  #program;
  #ended;
  #socket;
  #lastId = 0;
  #waiting = new Map();

  /** `profile` is an empty directory. */
  static async launch(profile) {
    const browser = new Browser();
    browser.#program = spawn(PROGRAM, [...FLAGS, `--user-data-dir=${profile}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await once(browser.#program, 'spawn');
    browser.#ended = once(browser.#program, 'exit');
    for await (const line of createInterface({ input: browser.#program.stderr })) {
      const address = /listening on (ws:\S+)/.exec(line)?.[1];
      if (address === undefined) continue;
      browser.#program.stderr.resume();
      await browser.#connect(address);
      return browser;
    }
    throw new Error(`${PROGRAM} did not start.`);
  }

  /** A profile of its own, with an empty cache. */
  async newContext() {
    const { browserContextId } = await this.send('Target.createBrowserContext');
    return browserContextId;
  }

  /** An empty page. `init` is a script that runs in every document before its own. */
  async newPage(browserContextId, init) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, targetId, sessionId);
    await page.send('Page.enable');
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: init });
    return page;
  }

  send(method, params = {}, sessionId) {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  async close() {
    // Its answer may be lost, and an interrupted browser has ended already.
    void this.send('Browser.close');
    await this.#ended;
  }

  async #connect(address) {
    this.#socket = new WebSocket(address);
    this.#socket.addEventListener('message', ({ data }) => {
      const { id, result, error } = JSON.parse(data);
      const request = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) request?.reject(new Error(error.message));
      else request?.resolve(result);
    });
    await once(this.#socket, 'open');
  }
}

class Page {
  #browser;
  #targetId;
  #sessionId;

  constructor(browser, targetId, sessionId) {
    this.#browser = browser;
    this.#targetId = targetId;
    this.#sessionId = sessionId;
  }

  send(method, params) {
    return this.#browser.send(method, params, this.#sessionId);
  }

  /** Goes to an address; returns as soon as its document has begun. */
  async open(url) {
    await this.send('Page.navigate', { url });
  }

  /** The value of an expression, waited for when it is a promise. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  close() {
    return this.#browser.send('Target.closeTarget', { targetId: this.#targetId });
  }
}

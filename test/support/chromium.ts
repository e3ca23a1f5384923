import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium without all that belongs to a window, for which a page takes a third of the processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';

/** Chromium, or the browser CHROMIUM_PATH names, without a window. Close it when the test ends. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env['CHROMIUM_PATH'] ?? HEADLESS_SHELL });
}

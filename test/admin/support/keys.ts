import { expect } from 'vitest';
import type { Locator, Page } from 'playwright-core';

/** More stops than any screen has before what is looked for. */
const MOST_STOPS = 150;

/** What is wrong with where the focus is: nobody sees it, or nothing marks it. '' when nothing is. */
async function troubleWithFocus(page: Page): Promise<string> {
  return page.evaluate(async () => {
    // Dialogs that are still sliding in, and what scrolls into sight.
    await Promise.all(document.getAnimations().map((each) => each.finished.catch(() => undefined)));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const element = document.activeElement;
    // Between the last stop and the first one the browser itself has the focus.
    if (element === null || element === document.body) return '';
    const name = element.outerHTML.slice(0, 140);
    // The box of a choice or a switch is drawn by what follows it.
    const around = [element, element.nextElementSibling, ...ancestors(element, 6)].filter((each) => each !== null);
    if (!around.some(isMarked)) return `not marked: ${name}`;
    const shown = around.slice(0, 3).find((each) => each.getBoundingClientRect().width > 3) ?? element;
    const { left, right, top, bottom } = shown.getBoundingClientRect();
    const middle = [
      (Math.max(left, 0) + Math.min(right, innerWidth)) / 2,
      (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2,
    ] as const;
    const hit = document.elementFromPoint(...middle);
    return hit !== null && (related(hit, shown) || ancestors(element, 2).some((each) => each.contains(hit)))
      ? ''
      : `out of sight: ${name}`;

    function ancestors(of: Element, count: number): Element[] {
      const parent = of.parentElement;
      return parent && count > 0 ? [parent, ...ancestors(parent, count - 1)] : [];
    }
    function related(one: Element, other: Element): boolean {
      return one.contains(other) || other.contains(one);
    }
    function isMarked(each: Element): boolean {
      const { outlineStyle, outlineWidth, borderTopColor, borderTopWidth } = getComputedStyle(each);
      if (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) return true;
      const probe = document.createElement('i');
      probe.style.color = 'var(--accent)';
      document.body.append(probe);
      const accent = getComputedStyle(probe).color;
      probe.style.color = 'var(--mantine-primary-color-filled)';
      const primary = getComputedStyle(probe).color;
      probe.remove();
      return parseFloat(borderTopWidth) > 0 && [accent, primary].includes(borderTopColor);
    }
  });
}

/** Whether a control, or what is in it, has the focus. */
export async function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element.contains(document.activeElement));
}

/** Waits until a control has the focus, as after a dialog that it has opened. */
export async function focusOn(target: Locator): Promise<void> {
  await target.waitFor();
  await expect.poll(() => hasFocus(target)).toBe(true);
}

/** Goes on by Tab, or another key, until a control has the focus; every stop on the way can be seen, and is marked. */
export async function keyTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.first().waitFor({ state: 'attached' });
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press(key);
    expect(await troubleWithFocus(page)).toBe('');
    if (await hasFocus(target.first())) return;
  }
  throw new Error(`${String(target)} cannot be reached by ${key}.`);
}

/** Does the same, and presses Enter there. */
export async function enter(page: Page, target: Locator, key?: string): Promise<void> {
  await keyTo(page, target, key);
  await page.keyboard.press('Enter');
}

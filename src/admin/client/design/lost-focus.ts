/** Whether nothing on the page has the focus: what had it is gone, or cannot be used any more. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

let last: Element | null = null;

/** What has the focus, or had it last: an entry of a menu that is gone has left it to nothing for a moment. */
export function lastFocused(): Element | null {
  return isFocusLost() ? last : document.activeElement;
}

/**
 * A button that waits for an answer is disabled meanwhile and loses the focus: it gets it back, unless the focus
 * went somewhere else (OPS-204).
 */
export function returnFocusAfterWaiting(): void {
  document.addEventListener('focusin', ({ target }) => (last = target as Element));
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (target === last && !(target as HTMLButtonElement).disabled && isFocusLost()) (target as HTMLElement).focus();
    }
  }).observe(document.body, { subtree: true, attributeFilter: ['disabled'] });
}

/** Whether nothing on the page has the focus: what had it is gone, or cannot be used any more. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/**
 * A button that waits for an answer is disabled meanwhile and loses the focus: it gets it back, unless the focus
 * went somewhere else (OPS-204).
 */
export function returnFocusAfterWaiting(): void {
  let last: Element | null = null;
  document.addEventListener('focusin', ({ target }) => (last = target as Element));
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (target === last && !(target as HTMLButtonElement).disabled && isFocusLost()) (target as HTMLElement).focus();
    }
  }).observe(document.body, { subtree: true, attributeFilter: ['disabled'] });
}

import { useEffect, useLayoutEffect, useRef } from 'react';
import { usePageIsTop } from '../design/layers.js';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** A single key of the page itself: not while typing, and not under an open panel or dialog. */
export function useShortcut(key: string, action: () => void): void {
  const pageIsTop = usePageIsTop();
  const latest = useRef(action);
  latest.current = action;
  // With the page itself, so that no key is lost between a dialog that goes and this.
  useLayoutEffect(() => {
    if (!pageIsTop) return undefined;
    const listen = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [key, pageIsTop]);
}

/** Ctrl/⌘+S of the top panel: saves and stays. */
export function useSaveShortcut(active: boolean, save: () => void): void {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    if (!active) return undefined;
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
        return;
      event.preventDefault();
      latest.current();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [active]);
}

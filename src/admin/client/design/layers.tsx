import { isFocusLost, lastFocused } from './lost-focus.js';
import { createContext, useContext, useId, useLayoutEffect, useMemo, useState, type ReactNode } from 'react';

interface Layers {
  readonly open: readonly string[];
  push(id: string): void;
  remove(id: string): void;
}

const LayersContext = createContext<Layers | null>(null);

/** Knows which panels and dialogs are open and in which order; only the top one reacts to keys (UI-3). */
export function LayersProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<readonly string[]>([]);
  const value = useMemo<Layers>(
    () => ({
      open,
      push: (id) => setOpen((current) => [...current.filter((each) => each !== id), id]),
      remove: (id) => setOpen((current) => current.filter((each) => each !== id)),
    }),
    [open],
  );
  return <LayersContext.Provider value={value}>{children}</LayersContext.Provider>;
}

export interface Layer {
  readonly isTop: boolean;
  readonly zIndex: number;
}

/** What may get the focus back: an entry of a menu is gone by then, and its button is there. */
function openersOf(element: Element | null): readonly HTMLElement[] {
  const button = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return [element, button ? document.getElementById(button) : null].filter((each) => each instanceof HTMLElement);
}

/** The panel below traps the focus again, and begins at its first control: nobody has gone there. */
function isWhereTrapsBegin(opener: HTMLElement): boolean {
  const panel = opener.closest('[role="dialog"]');
  const first = panel?.querySelector('[data-autofocus]') ?? panel?.querySelector('button, a[href], input, textarea');
  return first === document.activeElement;
}

/** Registers an overlay while it is open. */
export function useLayer(opened: boolean): Layer {
  const layers = useContext(LayersContext);
  if (!layers) throw new Error('useLayer needs a LayersProvider.');
  const id = useId();
  const { push, remove } = layers;
  // Asked for while drawing: the focus trap of the overlay moves it right after.
  const [openers] = useState(() => (opened ? openersOf(lastFocused()) : []));
  useLayoutEffect(() => {
    if (!opened) return undefined;
    push(id);
    return () => {
      remove(id);
      // Panels leave the document as a whole; what opened them gets the focus back once they are gone.
      setTimeout(() => {
        const opener = openers.find((each) => each.isConnected);
        if (opener && (isFocusLost() || isWhereTrapsBegin(opener))) opener.focus();
      }, 50);
    };
    // push and remove only call a state setter.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [opened, id]);
  const index = layers.open.indexOf(id);
  return { isTop: index === layers.open.length - 1, zIndex: 200 + Math.max(index, 0) * 10 };
}

/** Whether no overlay is open, so that keys of the page itself apply. */
export function usePageIsTop(): boolean {
  return (useContext(LayersContext)?.open.length ?? 0) === 0;
}

import { lazy, Suspense, useEffect, useState } from 'react';

const RecordPeek = lazy(async () => ({ default: (await import('./record-peek.js')).RecordPeek }));

const DELAY = 450;
/** Milliseconds to come from what it is about to the card itself. */
const GRACE = 200;
const PEEKED = '[data-peek]';

/** What an element is about; of a focused cell the first relation in it. */
function peeked(target: EventTarget | null, isFocused: boolean): HTMLElement | null {
  if (!(target instanceof Element)) return null;
  return target.closest<HTMLElement>(PEEKED) ?? (isFocused ? target.querySelector<HTMLElement>(`td ${PEEKED}`) : null);
}

/**
 * The previews of related records, one at a time for the whole page: an element has one by `data-peek`, the id of its
 * collection and its own with a slash between them (UI-76). Shown for a pointer that stays and for the focus of the
 * keyboard; Esc and what is done elsewhere take it away.
 */
export function Peeks() {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let current: HTMLElement | null = null;
    let shown = false;
    const change = (next: HTMLElement | null, delay: number) => {
      if (next === current) {
        if (shown) clearTimeout(timer);
        return;
      }
      clearTimeout(timer);
      current = next;
      timer = setTimeout(
        () => {
          shown = next !== null;
          setTarget(next);
        },
        next ? delay : GRACE,
      );
    };
    const hide = () => {
      clearTimeout(timer);
      current = null;
      shown = false;
      setTarget(null);
    };
    const listeners: Partial<Record<keyof DocumentEventMap, (event: never) => void>> = {
      pointerover: (event: PointerEvent) => {
        if (event.pointerType === 'touch') return;
        const isOnCard = event.target instanceof Element && event.target.closest('[data-peek-card]') !== null;
        if (isOnCard) {
          clearTimeout(timer);
          return;
        }
        change(peeked(event.target, false), DELAY);
      },
      focusin: (event: FocusEvent) => {
        const isByKeys = event.target instanceof Element && event.target.matches('td:focus-visible');
        if (isByKeys) change(peeked(event.target, true), DELAY);
        else hide();
      },
      pointerdown: hide,
      keydown: (event: KeyboardEvent) => {
        // Only the preview, not the panel below it.
        if (event.key === 'Escape' && shown) event.stopPropagation();
        hide();
      },
    };
    for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener as never, true);
    return () => {
      clearTimeout(timer);
      for (const [name, listener] of Object.entries(listeners)) {
        document.removeEventListener(name, listener as never, true);
      }
    };
  }, []);
  return target?.isConnected ? (
    <Suspense fallback={null}>
      <RecordPeek key={target.dataset.peek} target={target} />
    </Suspense>
  ) : null;
}

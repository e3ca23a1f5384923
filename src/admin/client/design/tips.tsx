import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { localTime, parseStored } from './stored-date.js';
import classes from './tips.module.css';

const DELAY = 350;
const GAP = 6;
const ID = 'tip';
/** A button says nothing over its own open menu. */
const TIPPED = '[data-tip]:not([aria-haspopup="menu"][aria-expanded="true"]), [data-utc]';

/** What an element says about itself, and '' when nothing. */
function textOf(element: HTMLElement): string {
  const { tip, utc } = element.dataset;
  if (utc) {
    const date = parseStored(utc);
    return date ? `${localTime(date)} local` : '';
  }
  return (tip === 'true' ? element.getAttribute('aria-label') : tip) ?? '';
}

function tipped(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(TIPPED) : null;
}

/**
 * The tooltips of the whole page, one at a time: an element has one by `data-tip="…"`, by `data-tip` alone when its
 * accessible name says enough, or by `data-utc` for the local time of a stored date. A component around each of them
 * would be a good part of what a table costs (OPS-203).
 */
export function Tips() {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let current: HTMLElement | null = null;
    const change = (next: HTMLElement | null, delay: number) => {
      if (next === current) return;
      current = next;
      clearTimeout(timer);
      setTarget(null);
      if (next) timer = setTimeout(() => setTarget(next), delay);
    };
    const hide = () => change(null, 0);
    const listeners: Partial<Record<keyof DocumentEventMap, (event: never) => void>> = {
      pointerover: (event: PointerEvent) => {
        if (event.pointerType !== 'touch') change(tipped(event.target), DELAY);
      },
      focusin: (event: FocusEvent) => {
        const element = tipped(event.target);
        if (element?.matches(':focus-visible')) change(element, 0);
      },
      focusout: hide,
      pointerdown: hide,
      keydown: hide,
      scroll: () => setTarget(null),
    };
    for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener as never, true);
    // What it is about has moved.
    window.addEventListener('resize', hide);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('resize', hide);
      for (const [name, listener] of Object.entries(listeners)) {
        document.removeEventListener(name, listener as never, true);
      }
    };
  }, []);
  return target?.isConnected ? <Tip target={target} /> : null;
}

function Tip({ target }: { target: HTMLElement }) {
  const tip = useRef<HTMLDivElement>(null);
  const text = textOf(target);
  useLayoutEffect(() => {
    const element = tip.current;
    if (!element) return undefined;
    const { left, top, bottom, width } = target.getBoundingClientRect();
    const own = element.getBoundingClientRect();
    const x = Math.max(8, Math.min(left + width / 2 - own.width / 2, window.innerWidth - own.width - 8));
    const y = top - own.height - GAP >= 4 ? top - own.height - GAP : bottom + GAP;
    element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
    if (text === target.getAttribute('aria-label') || target.hasAttribute('aria-describedby')) return undefined;
    target.setAttribute('aria-describedby', ID);
    return () => target.removeAttribute('aria-describedby');
  }, [target, text]);
  return text ? (
    <div ref={tip} id={ID} role="tooltip" className={classes.tip}>
      {text}
    </div>
  ) : null;
}

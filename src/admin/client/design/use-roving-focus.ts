import { useEffect, useRef, type FocusEvent, type KeyboardEvent } from 'react';

/** Where a key leads among so many tools, round and round; undefined for other keys. */
export function rovingTarget(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count;
    case 'ArrowLeft':
      return (at - 1 + count) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

/**
 * Makes the buttons of a toolbar one stop of the Tab key: arrows, Home and End go from one to the other, and Tab comes
 * back to the last one. Give what it returns to the element around them.
 */
export function useRovingFocus<T extends HTMLElement>() {
  const bar = useRef<T>(null);
  const last = useRef<HTMLButtonElement | null>(null);
  const tools = () => [...(bar.current?.querySelectorAll<HTMLButtonElement>('button:enabled') ?? [])];
  const choose = (tool: HTMLButtonElement | undefined) => {
    for (const each of tools()) each.tabIndex = each === tool ? 0 : -1;
  };
  // With every drawing: tools come, go, and are disabled.
  useEffect(() => {
    const all = tools();
    choose(all.find((each) => each === last.current) ?? all[0]);
  });
  return {
    ref: bar,
    onFocus: ({ target }: FocusEvent) => {
      const tool = tools().find((each) => each === target);
      if (!tool) return;
      last.current = tool;
      choose(tool);
    },
    onKeyDown: (event: KeyboardEvent) => {
      const all = tools();
      // What floats above the page belongs to a tool too, and has keys of its own.
      const at = all.indexOf(event.target as HTMLButtonElement);
      const next = at < 0 ? undefined : rovingTarget(event.key, at, all.length);
      if (next === undefined) return;
      event.preventDefault();
      all[next]!.focus();
    },
  };
}

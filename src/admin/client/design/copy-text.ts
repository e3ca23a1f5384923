import { useEffect, useState } from 'react';
import { toastError, toastInfo } from './toast.js';

/** The only way to the clipboard in a page without TLS, where servers in the own network are often visited. */
function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.style.cssText = 'position:fixed;opacity:0';
  // Beside what is focused: a panel keeps the focus inside.
  (focused?.parentElement ?? document.body).append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  return copied;
}

async function write(text: string): Promise<boolean> {
  try {
    // Absent in a page without TLS, whatever its type says.
    await (navigator.clipboard as Clipboard | undefined)!.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

const REFUSED = new Error('The browser did not let this page copy. Select the text and copy it yourself.');

/** Puts a text on the clipboard, and says whether it is there. */
export async function copyText(text: string, done = 'Copied.'): Promise<void> {
  if (await write(text)) toastInfo(done);
  else toastError(REFUSED);
}

/** For a button that says itself that it has copied: whether it just did, and what copies. */
export function useCopied(): readonly [copied: boolean, copy: (text: string) => void] {
  const [times, setTimes] = useState(0);
  useEffect(() => {
    if (!times) return undefined;
    const timer = setTimeout(() => setTimes(0), 1500);
    return () => clearTimeout(timer);
  }, [times]);
  const copy = (text: string) =>
    void write(text).then((copied) => (copied ? setTimes((count) => count + 1) : toastError(REFUSED)));
  return [times > 0, copy];
}

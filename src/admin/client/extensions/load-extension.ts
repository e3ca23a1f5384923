import { serverUrl } from '../api/api.js';
import { toastError } from '../design/toast.js';

/** What an extension did wrong, in words for whoever wrote it. */
export class ExtensionError extends Error {}

/** What a script module exports. */
export type ExtensionExports = Readonly<Record<string, unknown>>;

const loaded = new Map<string, Promise<ExtensionExports>>();

/** Hears of what an element throws while this page gives it something to do: browsers tell the window only. */
let hears: ((error: unknown) => void) | undefined;

/** The address of a script, wherever the server is served. */
export function urlOf(script: string): string {
  return serverUrl() + script;
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function tell(script: string, error: unknown): void {
  toastError(new ExtensionError(`The extension ${script} failed: ${textOf(error)}`));
}

/** Says so when code of the script fails later, in a handler or after waiting for an answer. */
function watch(script: string): void {
  const url = urlOf(script);
  window.addEventListener('error', ({ error, filename, message }) => {
    if (filename !== url) return;
    if (hears) hears(error ?? message);
    else tell(script, error ?? message);
  });
  window.addEventListener('unhandledrejection', ({ reason }) => {
    if (reason instanceof Error && reason.stack?.includes(url)) tell(script, reason);
  });
}

/** Fetches and runs the script of an extension, once. Throws an ExtensionError; the next call tries again. */
export function loadExtension(script: string): Promise<ExtensionExports> {
  const known = loaded.get(script);
  if (known) return known;
  const loading = (import(/* @vite-ignore */ urlOf(script)) as Promise<ExtensionExports>).then(
    (module) => {
      watch(script);
      return module;
    },
    (error: unknown) => {
      loaded.delete(script);
      throw new ExtensionError(`The script ${script} could not be loaded: ${textOf(error)}`);
    },
  );
  loaded.set(script, loading);
  return loading;
}

/**
 * Makes an element of the extension. Throws an ExtensionError where its script defines none or its constructor throws.
 */
export function makeElement(script: string, name: string): HTMLElement {
  const Element = customElements.get(name);
  if (!Element) throw new ExtensionError(`The script ${script} does not define the element <${name}>.`);
  return guarded(name, () => new Element());
}

/** Runs what calls code of an element. Throws an ExtensionError for whatever the element throws meanwhile. */
export function guarded<Result>(name: string, work: () => Result): Result {
  const errors: unknown[] = [];
  const before = hears;
  hears = (error) => errors.push(error);
  try {
    const result = work();
    if (!errors.length) return result;
  } catch (error) {
    errors.push(error);
  } finally {
    hears = before;
  }
  throw new ExtensionError(`The element <${name}> failed: ${textOf(errors[0])}`);
}

import { useEffect, useRef, useState, type RefObject } from 'react';
import { api } from '../api/api.js';
import { guarded, loadExtension, makeElement } from './load-extension.js';
import { useAdminTheme } from './use-admin-theme.js';

interface ExtensionElementOptions {
  readonly script: string;
  /** The name of the custom element. */
  readonly name: string;
  /** What it is given besides the client and the theme. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** Called with every value the element tells of. */
  readonly onChange?: (value: unknown) => void;
}

interface ExtensionElementState {
  /** Where the element is put. */
  readonly place: RefObject<HTMLDivElement | null>;
  readonly isShown: boolean;
  /** Why it is not: an ExtensionError. */
  readonly failure?: unknown;
  readonly retry: () => void;
}

/** Gives an element what it does not have yet. */
function give(element: HTMLElement, name: string, given: Map<string, unknown>, properties: object): void {
  guarded(name, () => {
    for (const [key, value] of Object.entries(properties)) {
      if (given.has(key) && Object.is(given.get(key), value)) continue;
      given.set(key, value);
      (element as unknown as Record<string, unknown>)[key] = value;
    }
  });
}

/** A custom element of a team's module (EXT-44). Whatever it does wrong is told here and harms nothing else. */
export function useExtensionElement(options: ExtensionElementOptions): ExtensionElementState {
  const { script, name, properties } = options;
  const [state, setState] = useState<{ readonly element?: HTMLElement; readonly failure?: unknown }>({});
  const [attempt, setAttempt] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const given = useRef(new Map<string, unknown>());
  const all = { client: api, theme: useAdminTheme(), ...properties };
  const newest = useRef({ all, onChange: options.onChange });
  newest.current = { all, onChange: options.onChange };
  useEffect(() => {
    let isWanted = true;
    let element: HTMLElement | undefined;
    const hear = (event: Event) => newest.current.onChange?.((event as CustomEvent<unknown>).detail);
    const start = async () => {
      await loadExtension(script);
      if (!isWanted || !place.current) return;
      element = makeElement(script, name);
      given.current = new Map();
      give(element, name, given.current, newest.current.all);
      element.addEventListener('roost-change', hear);
      guarded(name, () => place.current!.append(element!));
      setState({ element });
    };
    start().catch((failure: unknown) => {
      element?.remove();
      if (isWanted) setState({ failure });
    });
    return () => {
      isWanted = false;
      element?.removeEventListener('roost-change', hear);
      element?.remove();
    };
  }, [script, name, attempt]);
  useEffect(() => {
    if (!state.element) return;
    try {
      give(state.element, name, given.current, all);
    } catch (failure) {
      state.element.remove();
      setState({ failure });
    }
  });
  const retry = () => {
    setState({});
    setAttempt(attempt + 1);
  };
  return { place, isShown: state.element !== undefined, failure: state.failure, retry };
}

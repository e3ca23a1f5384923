import { useCallback, useMemo, useState } from 'react';
import { type ErrorTree, errorAt, errorTreeOf, hasErrorUnder, withoutError } from './failure.js';

export interface FieldErrors {
  readonly tree: ErrorTree;
  readonly any: boolean;
  /** The message for an input, or undefined. */
  at(path: string): string | undefined;
  /** Whether something at or below the path failed: marks tabs and sections. */
  under(path: string): boolean;
  /** Forgets an error as soon as its input is edited. */
  clear(path: string): void;
  set(error: unknown): void;
  /** Adds one error found before anything was sent. */
  add(name: string, error: { code: string; message: string }): void;
  reset(): void;
}

/** Found before anything is sent: the server speaks of an "expected value". */
export const PASSWORDS_DIFFER = {
  code: 'validation_values_mismatch',
  message: 'The two passwords are not the same.',
};

/** The field errors of the last failed request, shown at their inputs and cleared on edit (UI-3). */
export function useFieldErrors(): FieldErrors {
  const [tree, setTree] = useState<ErrorTree>({});
  const clear = useCallback((path: string) => setTree((current) => withoutError(current, path)), []);
  const set = useCallback((error: unknown) => setTree(errorTreeOf(error)), []);
  const add = useCallback(
    (name: string, error: { code: string; message: string }) =>
      setTree((current) => ({ ...current, [name]: { ...error } })),
    [],
  );
  const reset = useCallback(() => setTree({}), []);
  return useMemo(
    () => ({
      tree,
      any: Object.keys(tree).length > 0,
      at: (path: string) => errorAt(tree, path),
      under: (path: string) => hasErrorUnder(tree, path),
      clear,
      set,
      add,
      reset,
    }),
    [tree, clear, set, add, reset],
  );
}

import type { CompletionSource } from '@codemirror/autocomplete';
import { useMemo } from 'react';
import type { FilterScope } from './filter-scope.js';

/** Completions for filters, whose code is fetched when they are first asked for. */
export function useFilterCompletion(scope: FilterScope): CompletionSource {
  return useMemo(
    () => async (context) => (await import('./filter-completion.js')).filterCompletion(scope)(context),
    [scope],
  );
}

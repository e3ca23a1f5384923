import { useComputedColorScheme } from '@mantine/core';
import { useMemo } from 'react';
import { useSettings } from '../api/queries.js';
import { DEFAULT_ACCENT } from '../design/accent-shades.js';

/** The look of the page, as extensions are told of it; the same object until it changes. */
export function useAdminTheme(): { readonly colorScheme: 'light' | 'dark'; readonly accent: string } {
  const colorScheme = useComputedColorScheme();
  const accent = useSettings().data?.meta?.accentColor ?? DEFAULT_ACCENT;
  return useMemo(() => ({ colorScheme, accent }), [colorScheme, accent]);
}

import { MantineProvider } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState, type ComponentType, type ReactNode } from 'react';
import { settingsQuery } from '../api/queries.js';
import { useSignedIn } from '../api/use-session.js';
import { DEFAULT_ACCENT } from '../design/accent-shades.js';
import { TOASTS_WANTED } from '../design/toast.js';
import { roostTheme } from '../design/theme.js';
import { useStored } from './use-stored.js';

/** Not in the first load: nothing is announced before something was done. */
async function loadToasts(): Promise<ComponentType> {
  await import('../design/mantine-more-styles.js');
  return (await import('./toasts.js')).Toasts;
}

/** The look: Mantine with our tokens, in the accent of the settings, which is remembered for the sign-in page. */
export function ThemeProvider({ children }: { children: ReactNode }) {
  const signedIn = useSignedIn();
  const { data } = useQuery({ ...settingsQuery, enabled: signedIn });
  const [remembered, setRemembered] = useStored('roost_accent', DEFAULT_ACCENT);
  const accent = data?.meta?.accentColor ?? remembered;
  useEffect(() => {
    if (data?.meta && data.meta.accentColor !== remembered) setRemembered(data.meta.accentColor);
  }, [data, remembered, setRemembered]);
  const [Toasts, setToasts] = useState<ComponentType | null>(null);
  useEffect(() => {
    // Without a server there are none; the next one tries again.
    const start = () =>
      void loadToasts().then(
        (loaded) => setToasts(() => loaded),
        () => undefined,
      );
    document.addEventListener(TOASTS_WANTED, start);
    return () => document.removeEventListener(TOASTS_WANTED, start);
  }, []);
  const theme = useMemo(() => roostTheme(accent), [accent]);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      {Toasts ? <Toasts /> : null}
      {children}
    </MantineProvider>
  );
}

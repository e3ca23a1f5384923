import { MantineProvider } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, type ReactNode } from 'react';
import { settingsQuery } from '../api/queries.js';
import { useToken } from '../api/use-session.js';
import { roostTheme } from '../design/theme.js';

/** The look: Mantine with our tokens, in the accent of the settings, which is remembered for the sign-in page. */
export function ThemeProvider({ children }: { children: ReactNode }) {
  const token = useToken();
  const { data } = useQuery({ ...settingsQuery, enabled: token !== '' });
  const [remembered, setRemembered] = useLocalStorage({
    key: 'roost_accent',
    defaultValue: '',
    getInitialValueInEffect: false,
  });
  const accent = data?.meta?.accentColor ?? remembered;
  useEffect(() => {
    if (data?.meta && data.meta.accentColor !== remembered) setRemembered(data.meta.accentColor);
  }, [data, remembered, setRemembered]);
  const theme = useMemo(() => roostTheme(accent), [accent]);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Notifications position="bottom-right" limit={4} zIndex={900} />
      {children}
    </MantineProvider>
  );
}

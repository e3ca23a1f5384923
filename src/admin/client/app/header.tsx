import { Button } from '@mantine/core';
import {
  IconChartBar,
  IconChevronDown,
  IconDatabase,
  IconPuzzle,
  IconSettings,
  IconUserCircle,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useExtensions, useSettings } from '../api/queries.js';
import { useSuperuser } from '../api/use-session.js';
import { MenuOnDemand } from '../design/menu-on-demand.js';
import { Logo } from './logo.js';
import classes from './shell.module.css';

const PLACES = [
  { to: '/collections', name: 'Collections', Icon: IconDatabase },
  { to: '/logs', name: 'Logs', Icon: IconChartBar },
  { to: '/settings', name: 'Settings', Icon: IconSettings },
] as const;

const loadMenu = async () => (await import('./account-menu.js')).AccountMenu;

function Account() {
  const superuser = useSuperuser();
  return (
    <MenuOnDemand load={loadMenu} options={{}}>
      <Button
        variant="subtle"
        color="gray"
        size="xs"
        className={classes.account}
        leftSection={<IconUserCircle size={17} />}
        rightSection={<IconChevronDown size={13} />}
        aria-label={`Account: ${superuser?.email ?? ''}`}
      >
        <span className={`${classes.name} truncate`}>{superuser?.email}</span>
      </Button>
    </MenuOnDemand>
  );
}

export function Header() {
  const { data: settings } = useSettings();
  const pages = useExtensions().flatMap((extension) => extension.pages);
  return (
    <header className={classes.header}>
      <a href="#/" className={classes.brand} aria-label={`${settings?.meta?.appName ?? 'Roost'}, start page`}>
        <Logo />
        <span className={`${classes.name} truncate`} dir="auto" style={{ maxWidth: 180 }}>
          {settings?.meta?.appName ?? 'Roost'}
        </span>
      </a>
      <nav className={classes.nav} aria-label="Places">
        {PLACES.map(({ to, name, Icon }) => (
          <Link key={to} to={to as never} className={classes.place} title={name}>
            <Icon size={17} stroke={1.7} aria-hidden />
            <span className={classes.placeName}>{name}</span>
          </Link>
        ))}
        {pages.map(({ path, title }) => (
          <Link key={path} to={`/pages/${path}` as never} className={classes.place} title={title}>
            <IconPuzzle size={17} stroke={1.7} aria-hidden />
            <span className={`${classes.placeName} truncate`} dir="auto">
              {title}
            </span>
          </Link>
        ))}
      </nav>
      <Account />
    </header>
  );
}

import { Button, Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import {
  IconChartBar,
  IconChevronDown,
  IconDatabase,
  IconKeyboard,
  IconLogout,
  IconSettings,
  IconUserCircle,
  IconUsers,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../api/api.js';
import { useSettings } from '../api/queries.js';
import { useSuperuser } from '../api/use-session.js';
import { Logo } from './logo.js';
import classes from './shell.module.css';

const PLACES = [
  { to: '/collections', name: 'Collections', Icon: IconDatabase },
  { to: '/logs', name: 'Logs', Icon: IconChartBar },
  { to: '/settings', name: 'Settings', Icon: IconSettings },
] as const;

function SchemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
      <Menu.Label>Colour scheme</Menu.Label>
      <Menu.RadioItem value="light">Light</Menu.RadioItem>
      <Menu.RadioItem value="dark">Dark</Menu.RadioItem>
      <Menu.RadioItem value="auto">Auto</Menu.RadioItem>
    </Menu.RadioGroup>
  );
}

function AccountMenu() {
  const superuser = useSuperuser();
  const queries = useQueryClient();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
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
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="truncate">{superuser?.email}</Menu.Label>
        <Menu.Divider />
        <SchemeChoice />
        <Menu.Divider />
        <Menu.Item component="a" href="#/collections/_superusers" leftSection={<IconUsers size={16} />}>
          Manage superusers
        </Menu.Item>
        <Menu.Item
          leftSection={<IconKeyboard size={16} />}
          onClick={() => document.dispatchEvent(new CustomEvent('roost:shortcuts'))}
        >
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} />}
          onClick={() => {
            api.authStore.clear();
            queries.clear();
          }}
        >
          Logout
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function Header() {
  const { data: settings } = useSettings();
  return (
    <header className={classes.header}>
      <a href="#/" className={classes.brand} aria-label={`${settings?.meta?.appName ?? 'Roost'}, start page`}>
        <Logo />
        <span className={`${classes.name} truncate`} style={{ maxWidth: 180 }}>
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
      </nav>
      <AccountMenu />
    </header>
  );
}

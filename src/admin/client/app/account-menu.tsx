import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { IconKeyboard, IconLogout, IconUsers } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/api.js';
import { useTabSync } from '../api/use-changed.js';
import { useSuperuser } from '../api/use-session.js';
import type { MenuOfButton } from '../design/menu-on-demand.js';

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

/** What can be done with the own account, and with the look of the page. */
export function AccountMenu({ children }: MenuOfButton) {
  const superuser = useSuperuser();
  const queries = useQueryClient();
  const sync = useTabSync();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>{children}</Menu.Target>
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
            queries.clear();
            api.authStore.clear();
            sync.signedOut();
          }}
        >
          Logout
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

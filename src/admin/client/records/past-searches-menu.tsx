import { Menu } from '@mantine/core';
import type { MenuOfButton } from '../design/menu-on-demand.js';

interface PastSearchesMenuProps extends MenuOfButton {
  readonly history: readonly string[];
  readonly onSearch: (text: string) => void;
  readonly onClear: () => void;
}

/** What was searched for in this list before. */
export function PastSearchesMenu({ history, onSearch, onClear, children }: PastSearchesMenuProps) {
  return (
    <Menu position="bottom-end" width={340}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {history.length ? (
          <>
            {history.map((each) => (
              <Menu.Item key={each} onClick={() => onSearch(each)}>
                <span className="mono truncate" style={{ display: 'block' }}>
                  {each}
                </span>
              </Menu.Item>
            ))}
            <Menu.Divider />
            <Menu.Item data-danger onClick={onClear}>
              Clear the history
            </Menu.Item>
          </>
        ) : (
          <Menu.Label>No searches yet</Menu.Label>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { ProviderInfo } from '../api/queries.js';
import { Dialog } from '../design/dialog.js';
import { EmptyState } from '../design/states.js';
import classes from './collection-panel.module.css';
import { ProviderLogo } from './provider-logo.js';

/** All providers that are not configured yet. */
export function ProviderPicker({
  known,
  onPick,
  onClose,
}: {
  known: readonly ProviderInfo[];
  onPick: (name: string) => void;
  onClose: () => void;
}) {
  const [search, setSearch] = useState('');
  const word = search.trim().toLowerCase();
  const found = known.filter((each) => `${each.name} ${each.displayName}`.toLowerCase().includes(word));
  return (
    <Dialog opened onClose={onClose} title="Add a provider" size={640}>
      <TextInput
        data-autofocus
        aria-label="Search providers"
        placeholder="Search providers"
        leftSection={<IconSearch size={15} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        mb={12}
      />
      <div className={classes.typeGrid}>
        {found.map((each) => (
          <button key={each.name} type="button" className={classes.typeChoice} onClick={() => onPick(each.name)}>
            <ProviderLogo svg={each.logo} name={each.displayName} />
            <span>
              {each.displayName}
              {each.name.startsWith('oidc') ? <span className="hint"> {each.name}</span> : null}
            </span>
          </button>
        ))}
      </div>
      {found.length ? null : <EmptyState title="No such provider" />}
    </Dialog>
  );
}

import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { providersQuery } from '../api/queries.js';
import { Dialog } from '../design/dialog.js';
import { EmptyState, FailedState, LoadingLines } from '../design/states.js';
import classes from './collection-panel.module.css';
import { ProviderLogo } from './provider-logo.js';

/** All providers that are not configured yet. */
export function ProviderPicker({
  taken,
  onPick,
  onClose,
}: {
  /** Names of those that are configured. */
  taken: readonly string[];
  onPick: (name: string) => void;
  onClose: () => void;
}) {
  const [search, setSearch] = useState('');
  const known = useQuery(providersQuery);
  const word = search.trim().toLowerCase();
  const found = (known.data ?? []).filter(
    (each) => !taken.includes(each.name) && `${each.name} ${each.displayName}`.toLowerCase().includes(word),
  );
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
      {known.isPending ? <LoadingLines /> : null}
      {known.isLoadingError ? <FailedState error={known.error} onRetry={() => void known.refetch()} /> : null}
      {known.isSuccess && !found.length ? <EmptyState title="No such provider" /> : null}
    </Dialog>
  );
}

import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { RecordModel } from 'pocketbase';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { providersQuery } from '../api/queries.js';
import { ProviderLogo } from '../collections/provider-logo.js';
import { useConfirm } from '../design/confirm.js';
import { LoadingList } from '../design/loading-shapes.js';
import { EmptyState, FailedState } from '../design/states.js';
import { toastError, toastSuccess } from '../design/toast.js';
import classes from '../fields/fields.module.css';

/** The OAuth2 accounts linked to a record (UI-28). */
export function LinkedProviders({ collection, record }: { collection: CollectionModel; record: RecordModel }) {
  const confirm = useConfirm();
  const { data: providers = [] } = useQuery(providersQuery);
  const links = useQuery({
    queryKey: ['external-auths', record.id],
    queryFn: () =>
      api.collection('_externalAuths').getFullList({
        filter: api.filter('collectionRef = {:collection} && recordRef = {:record}', {
          collection: collection.id,
          record: record.id,
        }),
      }),
    staleTime: 0,
  });
  if (links.isPending) return <LoadingList rows={2} rowHeight={44} />;
  if (links.isLoadingError) return <FailedState error={links.error} onRetry={() => void links.refetch()} />;
  if (!links.data.length)
    return (
      <EmptyState title="No linked accounts">
        Accounts appear here when this user signs in with an OAuth2 provider.
      </EmptyState>
    );
  const unlink = async (link: RecordModel, name: string) => {
    if (
      !(await confirm({
        title: `Unlink ${name}?`,
        body: `The user can no longer sign in with this ${name} account.`,
        action: 'Unlink',
        danger: true,
      }))
    )
      return;
    try {
      await api.collection('_externalAuths').delete(link.id);
      toastSuccess(`${name} was unlinked.`);
      await links.refetch();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <div className={classes.box}>
      {links.data.map((link) => {
        const provider = providers.find((each) => each.name === link.provider);
        const name = provider?.displayName || String(link.provider);
        return (
          <div key={link.id} className={classes.itemRow} style={{ paddingLeft: 10 }}>
            <ProviderLogo svg={provider?.logo ?? ''} name={name} />
            <span className={classes.itemName}>
              {name}{' '}
              <span className="mono" style={{ color: 'var(--ink-3)' }}>
                {String(link.providerId)}
              </span>
            </span>
            <Button size="compact-sm" variant="subtle" color="gray" onClick={() => void unlink(link, name)}>
              Unlink
            </Button>
          </div>
        );
      })}
    </div>
  );
}

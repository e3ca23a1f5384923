import { ActionIcon, Button, Group } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDatabase, IconLayoutSidebar, IconPlus } from '@tabler/icons-react';
import { Navigate, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import { useCollections, useHideControls } from '../api/queries.js';
import { usePageTitle } from '../app/use-page-title.js';
import { useStored } from '../app/use-stored.js';
import { EmptyState, FailedState, LoadingBar, LoadingLines, LoadingRows } from '../design/states.js';
import { RecordsPage } from '../records/records-page.js';
import classes from './collections-page.module.css';
import { NewCollectionProvider } from './new-collection.js';
import { lastCollection, rememberCollection } from './last-collection.js';
import { CollectionsSidebar } from './sidebar.js';
import type { PanelTarget } from './panel-target.js';
import { SidebarResizer } from './sidebar-resizer.js';

const CollectionPanel = lazy(async () => ({ default: (await import('./collection-panel.js')).CollectionPanel }));
const SidebarDrawer = lazy(async () => ({ default: (await import('./sidebar-drawer.js')).SidebarDrawer }));
const OverviewDialog = lazy(async () => ({ default: (await import('./overview-dialog.js')).OverviewDialog }));

const NEW: PanelTarget = { kind: 'new' };

/** Sidebar of collections, and the records of the one that is open. */
export function CollectionsPage() {
  const { name } = useParams({ strict: false }) as { name?: string };
  const navigate = useNavigate();
  const collections = useCollections();
  const hideControls = useHideControls();
  const narrow = useMediaQuery('(max-width: 800px)', undefined, { getInitialValueInEffect: false });
  const [drawer, setDrawer] = useState(false);
  const [panel, setPanel] = useState<PanelTarget | null>(null);
  const [overview, setOverview] = useState(false);
  // A second panel, over the one of the collection whose relation is to point to it.
  const [making, setMaking] = useState<{ readonly onMade: (collection: CollectionModel) => void } | null>(null);
  const [width, setWidth] = useStored('roost_sidebar_width', 248);
  const all = collections.data;
  const current = all?.find((each) => each.name === name || each.id === name);
  usePageTitle(current?.name ?? 'Collections');

  useEffect(() => {
    if (current) rememberCollection(current.id);
  }, [current]);
  useEffect(() => setDrawer(false), [name]);
  // A link may lead to a collection that somebody has made since the list was fetched.
  const asked = useRef<string>(undefined);
  const isUnknown = Boolean(name && all && !current);
  const { refetch } = collections;
  const isAsking = isUnknown && (asked.current !== name || collections.isFetching);
  useEffect(() => {
    if (!isUnknown || asked.current === name) return;
    asked.current = name;
    void refetch();
  }, [isUnknown, name, refetch]);

  if (collections.isPending) {
    return (
      <div className={classes.page}>
        {narrow ? null : (
          <div style={{ width }} className={classes.side}>
            <LoadingLines />
          </div>
        )}
        <div className={classes.content}>
          <div className={classes.above} />
          <LoadingRows rowHeight={38} />
        </div>
      </div>
    );
  }
  // A later failure takes away nothing: somebody may be typing in a panel.
  if (collections.isLoadingError)
    return <FailedState error={collections.error} onRetry={() => void collections.refetch()} />;
  if (!name) {
    const last = lastCollection();
    const start = all?.find((each) => each.id === last) ?? all?.find((each) => !each.system);
    if (start) return <Navigate to={'/collections/$name' as never} params={{ name: start.name } as never} replace />;
  }
  const sidebar = (
    <CollectionsSidebar
      collections={all ?? []}
      currentId={current?.id}
      onNew={hideControls ? undefined : () => setPanel({ kind: 'new' })}
      onOverview={() => setOverview(true)}
    />
  );
  return (
    <div className={classes.page}>
      {narrow ? (
        <Suspense fallback={null}>
          <SidebarDrawer opened={drawer} onClose={() => setDrawer(false)}>
            {sidebar}
          </SidebarDrawer>
        </Suspense>
      ) : (
        <>
          <div style={{ width }} className={classes.side}>
            {sidebar}
          </div>
          <SidebarResizer width={width} onChange={setWidth} />
        </>
      )}
      <div className={classes.content}>
        {current ? (
          <RecordsPage
            key={current.id}
            collection={current}
            onSettings={hideControls ? undefined : () => setPanel({ kind: 'edit', id: current.id })}
            leading={
              narrow ? (
                <ActionIcon aria-label="Show collections" onClick={() => setDrawer(true)}>
                  <IconLayoutSidebar size={18} />
                </ActionIcon>
              ) : null
            }
          />
        ) : isAsking ? (
          <LoadingRows rowHeight={38} />
        ) : (
          <EmptyState
            icon={<IconDatabase size={22} />}
            title={name ? `There is no collection "${name}"` : 'No collections yet'}
            action={
              <Group gap={8}>
                {narrow ? (
                  <Button variant="default" size="xs" onClick={() => setDrawer(true)}>
                    Show collections
                  </Button>
                ) : null}
                {hideControls || (name && narrow) ? null : (
                  <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setPanel({ kind: 'new' })}>
                    New collection
                  </Button>
                )}
              </Group>
            }
          >
            {name
              ? 'It may have been renamed or deleted.'
              : 'A collection is a table with fields, rules and an API of its own.'}
          </EmptyState>
        )}
      </div>
      <Suspense fallback={<LoadingBar />}>
        {panel ? (
          <NewCollectionProvider value={(onMade) => setMaking({ onMade })}>
            <CollectionPanel
              target={panel}
              onClose={() => setPanel(null)}
              onSaved={(saved) => {
                if (panel.kind === 'new') setPanel(null);
                void navigate({ to: '/collections/$name' as never, params: { name: saved.name } as never });
              }}
              onDeleted={() => {
                setPanel(null);
                void navigate({ to: '/collections' as never });
              }}
              onDuplicate={(from) => setPanel({ kind: 'new', from })}
            />
          </NewCollectionProvider>
        ) : null}
        {making ? (
          <CollectionPanel
            target={NEW}
            onClose={() => setMaking(null)}
            onSaved={making.onMade}
            onDeleted={() => setMaking(null)}
            onDuplicate={() => undefined}
          />
        ) : null}
        {overview ? <OverviewDialog onClose={() => setOverview(false)} /> : null}
      </Suspense>
    </div>
  );
}

import { ActionIcon, Button } from '@mantine/core';
import {
  IconAccessPoint,
  IconAccessPointOff,
  IconCode,
  IconColumns3,
  IconBookmark,
  IconFilter,
  IconInbox,
  IconPlus,
  IconRefresh,
  IconSettings,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { RecordModel } from 'pocketbase';
import { lazy, Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import { filterErrorOf } from '../api/failure.js';
import type { ListViewModel } from '../api/models.js';
import { useCollections, useHideControls } from '../api/queries.js';
import { useSuperuser } from '../api/use-session.js';
import type { CollectionSearch } from '../app/search.js';
import { useShortcut } from '../app/use-shortcut.js';
import { useStored } from '../app/use-stored.js';
import { CollectionIcon } from '../collections/collection-icon.js';
import { CutName } from '../design/cut-name.js';
import { LoadMore } from '../design/load-more.js';
import { MenuOnDemand } from '../design/menu-on-demand.js';
import { EmptyState, FailedState, LoadingBar, LoadingRows } from '../design/states.js';
import { toastError } from '../design/toast.js';
import { useRangeSelection } from '../design/use-range-selection.js';
import { columnsOf, viewsQuery } from '../filters/list-views.js';
import { Peeks } from './peeks.js';
import { RecordTable } from './record-table.js';
import classes from './records.module.css';
import { RecordsTotal } from './records-total.js';
import { SearchBar } from './search-bar.js';
import { useCellEdits } from './use-cell-edits.js';
import { useColumns } from './use-columns.js';
import { searchHint } from './search-hint.js';
import { useLive } from './use-live.js';
import type { FormValues } from './record-form.js';
import type { RecordChange } from './live-pages.js';
import { useRecords } from './use-records.js';

const loadViewsMenu = async () => (await import('../filters/views-menu.js')).ViewsMenu;
const loadColumnMenu = async () => (await import('./column-menu.js')).ColumnMenu;
const SelectionBar = lazy(async () => ({ default: (await import('./selection-bar.js')).SelectionBar }));
const RecordPanel = lazy(async () => ({ default: (await import('./record-panel.js')).RecordPanel }));
const RecordPreview = lazy(async () => ({ default: (await import('./record-preview.js')).RecordPreview }));
const FilterBuilderDialog = lazy(async () => ({
  default: (await import('../filters/filter-builder-dialog.js')).FilterBuilderDialog,
}));
const FilePreviewDialog = lazy(async () => ({
  default: (await import('../files/file-preview-dialog.js')).FilePreviewDialog,
}));
const ApiPreviewDialog = lazy(async () => ({
  default: (await import('../collections/api-preview-dialog.js')).ApiPreviewDialog,
}));

/** So many records are taken out of the list one by one; of more it is asked for anew. */
const MANY = 100;

interface RecordsPageProps {
  readonly collection: CollectionModel;
  /** Opens the settings of the collection; absent when controls are hidden. */
  readonly onSettings?: () => void;
  readonly leading?: ReactNode;
}

/** The records of one collection. Filter, order and open record stand in the address (UI-17). */
export function RecordsPage({ collection, onSettings, leading }: RecordsPageProps) {
  const search = useSearch({ strict: false }) as CollectionSearch;
  const navigate = useNavigate();
  const { data: collections = [] } = useCollections();
  const superuser = useSuperuser();
  const { filter = '', sort = '', record: openId, view: viewId } = search;
  const { list, records, apply, refresh, filter: applied, outside } = useRecords(collection, filter, sort);
  const { data: views } = useQuery({ ...viewsQuery(collection), enabled: viewId !== undefined });
  const view = viewId === undefined ? undefined : views?.find(({ id }) => id === viewId);
  const given = useMemo(() => view && { id: view.id, choice: columnsOf(view) }, [view]);
  const columns = useColumns(collection, given);
  const hideControls = useHideControls();
  const order = useMemo(() => records.map((record) => record.id), [records]);
  const selection = useRangeSelection(order);
  const [live, setLive] = useStored('roost_live', false);
  const [stale, setStale] = useState(false);
  const [preview, setPreview] = useState(false);
  const [building, setBuilding] = useState(false);
  const [file, setFile] = useState<{ record: RecordModel; name: string; names: readonly string[] }>();
  const [copy, setCopy] = useState<FormValues>();
  const isView = collection.type === 'view';
  const scope = useMemo(() => ({ collections, collection }), [collections, collection]);

  const go = useCallback(
    (next: Partial<CollectionSearch>, replace = false) =>
      void navigate({
        to: '/collections/$name' as never,
        params: { name: collection.name } as never,
        search: { filter, sort, view: viewId, record: openId, ...next } as never,
        replace,
      }),
    [navigate, collection.name, filter, sort, viewId, openId],
  );
  const onChange = useCallback(
    (change: RecordChange) => {
      apply(change);
      // With a filter of its own the list may now show what it should not.
      if (change.action !== 'delete' && filter) setStale(true);
    },
    [apply, filter],
  );
  const onSort = useCallback(
    (next: string) => {
      setStale(false);
      go({ sort: next });
    },
    [go],
  );
  const editing = useCellEdits(
    collection,
    useCallback(
      (record) => {
        // A row that is worked in does not run away.
        apply({ action: 'update', record }, true);
        if (filter || sort) setStale(true);
      },
      [apply, filter, sort],
    ),
  );
  const changed = useLive(collection, applied, live && !isView, apply, () => setLive(false));
  const reload = async () => {
    const { error } = await refresh();
    // What was there stays, so the failure is told beside it.
    if (error && records.length) toastError(error);
    else setStale(false);
  };
  const onSearch = (next: string) => {
    setStale(false);
    selection.clear();
    go({ filter: next });
  };
  const onView = (next: ListViewModel | undefined) => {
    setStale(false);
    selection.clear();
    go({ view: next?.id, filter: next?.filter, sort: next?.sort });
  };
  useShortcut('n', () => {
    if (!isView) go({ record: 'new' });
  });

  const selected = selection.selected;
  const filterError = filter ? filterErrorOf(list.error) : undefined;
  return (
    <section className={classes.page} aria-label={collection.name}>
      <div className={classes.bar}>
        {leading}
        <h1 className={classes.title} aria-label={collection.name}>
          <CollectionIcon type={collection.type} size={18} />
          <CutName name={collection.name} />
        </h1>
        {onSettings ? (
          <ActionIcon data-tip aria-label="Settings of the collection" onClick={onSettings}>
            <IconSettings size={17} />
          </ActionIcon>
        ) : null}
        <ActionIcon
          data-tip={stale ? 'Refresh: the list no longer fits its filter or order' : 'Refresh'}
          aria-label={stale ? 'Refresh, the list no longer fits its filter or order' : 'Refresh'}
          className={stale ? classes.stale : undefined}
          onClick={() => void reload()}
          loading={list.isFetching && !list.isFetchingNextPage && !list.isPending}
        >
          <IconRefresh size={17} />
        </ActionIcon>
        {isView ? null : (
          <Button
            data-tip={live ? 'Changes appear as they happen' : 'Show changes as they happen'}
            size="xs"
            variant="subtle"
            color="gray"
            role="switch"
            aria-checked={live}
            onClick={() => setLive(!live)}
          >
            {live ? (
              <IconAccessPoint size={17} className={classes.live} aria-hidden />
            ) : (
              <IconAccessPointOff size={17} aria-hidden />
            )}
            <span className={classes.word}>Live</span>
          </Button>
        )}
        <span className={classes.spacer} />
        <Button size="xs" variant="default" onClick={() => setPreview(true)}>
          <IconCode size={16} aria-hidden style={{ flex: 'none' }} />
          <span className={classes.word}>API preview</span>
        </Button>
        {isView ? null : (
          <Button size="xs" onClick={() => go({ record: 'new' })}>
            <IconPlus size={15} aria-hidden style={{ flex: 'none' }} />
            <span className={classes.word}>New record</span>
          </Button>
        )}
      </div>
      <div style={{ display: 'flex' }}>
        <div style={{ flex: 1, minWidth: 0 }}>
          <SearchBar
            value={filter}
            onSearch={onSearch}
            scope={scope}
            historyKey={collection.id}
            placeholder={searchHint(collection)}
            error={filterError}
          />
        </div>
        <div style={{ display: 'flex', gap: 6, paddingRight: 14 }}>
          <MenuOnDemand
            load={loadViewsMenu}
            options={{
              collection,
              shown: { filter, sort, columns: columns.choice },
              activeId: viewId,
              onOpen: onView,
            }}
          >
            <Button size="sm" px={9} variant="default" aria-label={view ? `Views: ${view.name}` : 'Views'}>
              <IconBookmark size={17} aria-hidden style={{ flex: 'none' }} />
              {view ? (
                <span className={`${classes.viewName} truncate`} dir="auto">
                  {view.name}
                </span>
              ) : null}
            </Button>
          </MenuOnDemand>
          <ActionIcon
            data-tip
            size={34}
            variant="default"
            aria-label="Build the filter"
            onClick={() => setBuilding(true)}
          >
            <IconFilter size={17} />
          </ActionIcon>
          <MenuOnDemand
            load={loadColumnMenu}
            options={{ fields: columns.available, shown: columns.shown, onToggle: columns.toggle }}
          >
            <ActionIcon data-tip size={34} variant="default" aria-label="Columns">
              <IconColumns3 size={17} />
            </ActionIcon>
          </MenuOnDemand>
        </div>
      </div>
      {outside ? (
        <button type="button" className={classes.arrived} onClick={() => void reload()}>
          {outside} new
        </button>
      ) : null}
      {list.isPending ? (
        <LoadingRows rowHeight={38} />
      ) : list.isError && !records.length ? (
        filterError ? (
          <EmptyState title="Nothing to show">Correct the filter above and search again.</EmptyState>
        ) : (
          <FailedState error={list.error} onRetry={() => void reload()} />
        )
      ) : records.length ? (
        <RecordTable
          collection={collection}
          columns={columns}
          records={records}
          sort={sort}
          query={`${collection.id} ${sort} ${filter}`}
          onSort={onSort}
          onOpen={(id) => go({ record: id })}
          onFile={setFile}
          editing={editing}
          // As in the panel, records are only changed once they were unlocked.
          locked={hideControls || isView}
          selection={selection}
          changed={changed}
          ownId={collection.name === '_superusers' ? superuser?.id : undefined}
          outdated={list.isPlaceholderData}
          footer={
            list.hasNextPage && !list.isPlaceholderData ? (
              <div className={classes.more}>
                <LoadMore list={list} />
              </div>
            ) : null
          }
        />
      ) : (
        <EmptyState
          icon={<IconInbox size={22} />}
          title={filter ? 'Nothing matches' : 'No records yet'}
          action={
            filter ? (
              <Button variant="default" size="xs" onClick={() => go({ filter: '' })}>
                Clear the search
              </Button>
            ) : isView ? null : (
              <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => go({ record: 'new' })}>
                New record
              </Button>
            )
          }
        >
          {filter
            ? 'No record fits this search.'
            : isView
              ? 'The query of this view returns no rows.'
              : 'Make the first one here, or send one to the API.'}
        </EmptyState>
      )}
      <Peeks />
      <RecordsTotal collection={collection} filter={applied} />
      <Suspense fallback={<LoadingBar />}>
        {selected.size ? (
          <SelectionBar
            collection={collection}
            ids={selected}
            filter={applied}
            // Only who has selected all that is loaded may mean what is not.
            isAllLoaded={records.every(({ id }) => selected.has(id))}
            onSelect={selection.setAll}
            onClear={selection.clear}
            onDeleted={(gone) => {
              // What could not be deleted stays selected.
              selection.setAll([...selected].filter((id) => !gone.has(id)));
              if (gone.size > MANY) void reload();
              else for (const id of gone) apply({ action: 'delete', record: { id } as RecordModel });
            }}
            onEdited={() => {
              selection.clear();
              void reload();
            }}
          />
        ) : null}
        {openId && isView ? (
          <RecordPreview collection={collection} id={openId} onClose={() => go({ record: undefined })} />
        ) : null}
        {openId && !isView ? (
          <RecordPanel
            key={copy && openId === 'new' ? 'copy' : openId}
            collection={collection}
            id={openId === 'new' ? undefined : openId}
            filledWith={openId === 'new' ? copy : undefined}
            onClose={() => {
              setCopy(undefined);
              go({ record: undefined });
            }}
            onChange={(change, stay) => {
              onChange(change);
              if (change.action !== 'create') return;
              setCopy(undefined);
              if (stay) go({ record: change.record.id }, true);
            }}
            onDuplicate={(values) => {
              setCopy(values);
              go({ record: 'new' });
            }}
          />
        ) : null}
        {file ? (
          <FilePreviewDialog
            record={file.record}
            names={file.names}
            initial={file.name}
            onClose={() => setFile(undefined)}
          />
        ) : null}
        {building ? (
          <FilterBuilderDialog
            collection={collection}
            search={filter}
            onClose={() => setBuilding(false)}
            onSearch={(next) => {
              setBuilding(false);
              if (next !== filter) onSearch(next);
            }}
          />
        ) : null}
        {preview ? <ApiPreviewDialog collection={collection} onClose={() => setPreview(false)} /> : null}
      </Suspense>
    </section>
  );
}

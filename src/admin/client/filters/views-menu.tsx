import '../design/mantine-more-styles.js';
import { Menu } from '@mantine/core';
import { IconCheck, IconDeviceFloppy, IconPencil, IconPlus, IconTrash, IconUsers } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import { messageOf } from '../api/failure.js';
import type { ListViewModel } from '../api/models.js';
import { useConfirm } from '../design/confirm.js';
import type { MenuOfButton } from '../design/menu-on-demand.js';
import { toastError, toastSuccess } from '../design/toast.js';
import { deleteView, isChanged, saveView, viewsQuery, type ShownList } from './list-views.js';

const ViewDialog = lazy(async () => ({ default: (await import('./view-dialog.js')).ViewDialog }));

interface ViewsMenuProps extends MenuOfButton {
  readonly collection: CollectionModel;
  /** What the list shows. */
  readonly shown: ShownList;
  /** The id of the view it was opened as. */
  readonly activeId: string | undefined;
  /** Opens a view; undefined goes back to the list as it is without one. */
  readonly onOpen: (view: ListViewModel | undefined) => void;
}

/** What is kept under names of this list, and what can be done with it (UI-73). */
export function ViewsMenu({ collection, shown, activeId, onOpen, children }: ViewsMenuProps) {
  const queries = useQueryClient();
  const confirm = useConfirm();
  const views = useQuery(viewsQuery(collection));
  const [naming, setNaming] = useState<'new' | 'renamed' | null>(null);
  const active = views.data?.find(({ id }) => id === activeId);
  const changed = active !== undefined && isChanged(active, shown);
  const refresh = () => queries.invalidateQueries({ queryKey: viewsQuery(collection).queryKey });
  const guarded = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      toastError(error);
    }
  };
  const saveChanges = (view: ListViewModel) =>
    guarded(async () => {
      const { name, shared } = view;
      await saveView(collection, { name, shared, ...shown } as never, view.id);
      await refresh();
      toastSuccess(`“${name}” saved.`);
    });
  const remove = (view: ListViewModel) =>
    guarded(async () => {
      const question = {
        title: `Delete the view “${view.name}”?`,
        body: view.shared ? 'It is gone for all superusers. Records stay as they are.' : 'Records stay as they are.',
        action: 'Delete view',
        danger: true,
      };
      if (!(await confirm(question))) return;
      await deleteView(collection, view.id);
      onOpen(undefined);
      await refresh();
      toastSuccess(`“${view.name}” deleted.`);
    });
  return (
    <>
      <Menu position="bottom-end" width={280}>
        <Menu.Target>{children}</Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Views</Menu.Label>
          <Menu.Item
            leftSection={active ? <span style={{ width: 16 }} /> : <IconCheck size={16} aria-label="Shown now" />}
            onClick={() => onOpen(undefined)}
          >
            No view
          </Menu.Item>
          {views.isPending ? <Menu.Label>Loading…</Menu.Label> : null}
          {views.isError ? <Menu.Label>{messageOf(views.error)}</Menu.Label> : null}
          {views.data?.map((view) => (
            <Menu.Item
              key={view.id}
              leftSection={
                view.id === activeId ? <IconCheck size={16} aria-label="Shown now" /> : <span style={{ width: 16 }} />
              }
              rightSection={view.shared ? <IconUsers size={14} role="img" aria-label="for all superusers" /> : null}
              onClick={() => onOpen(view)}
            >
              <span className="truncate" dir="auto" style={{ display: 'block' }}>
                {view.name}
              </span>
            </Menu.Item>
          ))}
          <Menu.Divider />
          {active && changed ? (
            <Menu.Item leftSection={<IconDeviceFloppy size={16} />} onClick={() => void saveChanges(active)}>
              Save changes of the view
            </Menu.Item>
          ) : null}
          <Menu.Item leftSection={<IconPlus size={16} />} onClick={() => setNaming('new')}>
            Save as a new view
          </Menu.Item>
          {active ? (
            <>
              <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setNaming('renamed')}>
                Rename or share
              </Menu.Item>
              <Menu.Item data-danger leftSection={<IconTrash size={16} />} onClick={() => void remove(active)}>
                Delete the view
              </Menu.Item>
            </>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      {naming ? (
        <Suspense fallback={null}>
          <ViewDialog
            collection={collection}
            // A new name changes nothing else of it.
            shown={naming === 'renamed' && active ? (active as unknown as ShownList) : shown}
            view={naming === 'renamed' ? active : undefined}
            onClose={() => setNaming(null)}
            onSaved={async (view) => {
              setNaming(null);
              await refresh();
              if (naming === 'new') onOpen(view);
              toastSuccess(`“${view.name}” saved.`);
            }}
          />
        </Suspense>
      ) : null}
    </>
  );
}

import { ActionIcon, Button, FileButton, Group, Menu } from '@mantine/core';
import {
  IconArchive,
  IconDots,
  IconDownload,
  IconPlus,
  IconRefresh,
  IconRestore,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.js';
import type { BackupFile } from '../api/models.js';
import { healthQuery } from '../api/queries.js';
import { useConfirm } from '../design/confirm.js';
import { DateView } from '../design/date-view.js';
import { LoadingList } from '../design/loading-shapes.js';
import { EmptyState, FailedState } from '../design/states.js';
import { toastError, toastInfo, toastSuccess } from '../design/toast.js';
import { sizeText } from '../files/file-kind.js';
import classes from '../settings/settings.module.css';
import { BackupOptions } from './backup-options.js';
import { CreateBackupDialog } from './create-backup-dialog.js';

/** Backups: made, fetched, brought back, thrown away, and when they are made by themselves (UI-66). */
export function BackupsScreen() {
  const confirm = useConfirm();
  const [creating, setCreating] = useState(false);
  const [busy, setBusy] = useState('');
  const health = useQuery({ ...healthQuery, refetchInterval: 5000 });
  const list = useQuery({
    queryKey: ['backups'],
    queryFn: ({ signal }) => api.backups.getFullList({ signal }),
    staleTime: 0,
  });
  const blocked = health.data?.data.canBackup === false;
  const lastRestore = health.data?.data.lastRestore;
  const backups = [...(list.data ?? [])].sort((a, b) => b.modified.localeCompare(a.modified));

  const guarded = async (what: string, work: () => Promise<unknown>) => {
    setBusy(what);
    try {
      await work();
    } catch (error) {
      toastError(error);
    } finally {
      setBusy('');
      void list.refetch();
      void health.refetch();
    }
  };
  const reload = async () => {
    const { error } = await list.refetch();
    // What was there stays, so the failure is told beside it.
    if (error && list.data) toastError(error);
  };
  const download = (backup: BackupFile) =>
    guarded(backup.key, async () => {
      const link = document.createElement('a');
      link.href = api.backups.getDownloadURL(await api.files.getToken(), backup.key);
      link.download = backup.key;
      link.click();
    });
  const restore = async (backup: BackupFile) => {
    const sure = await confirm({
      title: 'Restore this backup?',
      body: (
        <>
          <p>
            Everything that is here now, records, settings, superusers and local files, is replaced by{' '}
            <b>{backup.key}</b>. The server answers no requests while it happens.
          </p>
          <p>Only restore backups you trust: they can contain anything. Files kept on S3 are not part of a backup.</p>
        </>
      ),
      action: 'Restore',
      danger: true,
      typed: backup.key,
    });
    if (!sure) return;
    await guarded(backup.key, async () => {
      await api.backups.restore(backup.key);
      toastInfo('The restore begins. The page reloads when the server is back.');
      setTimeout(() => window.location.reload(), 5000);
    });
  };
  const remove = async (backup: BackupFile) => {
    if (!(await confirm({ title: 'Delete this backup?', body: backup.key, action: 'Delete backup', danger: true })))
      return;
    await guarded(backup.key, async () => {
      await api.backups.delete(backup.key);
      toastSuccess('Backup deleted.');
    });
  };
  const upload = (file: File | null) => {
    if (file) {
      void guarded('upload', async () => {
        await api.backups.upload({ file });
        toastSuccess(`${file.name} was uploaded.`);
      });
    }
  };
  return (
    <>
      <Group gap={8} mb={12}>
        <Button size="xs" leftSection={<IconPlus size={15} />} disabled={blocked} onClick={() => setCreating(true)}>
          New backup
        </Button>
        <FileButton onChange={upload} accept=".zip,application/zip">
          {(props) => (
            <Button
              {...props}
              size="xs"
              variant="default"
              loading={busy === 'upload'}
              leftSection={<IconUpload size={15} />}
            >
              Upload backup
            </Button>
          )}
        </FileButton>
        <ActionIcon data-tip aria-label="Refresh" loading={list.isRefetching} onClick={() => void reload()}>
          <IconRefresh size={16} />
        </ActionIcon>
        {blocked ? (
          <span className="hint" role="status">
            A backup or a restore is going on…
          </span>
        ) : null}
      </Group>
      {lastRestore ? (
        <p className="hint" role="status">
          {lastRestore.outcome === 'restored' ? 'Restored ' : 'Not restored: '}
          {lastRestore.backup || 'a backup'}, <DateView value={lastRestore.time} />
          {lastRestore.reason ? ` · ${lastRestore.reason}` : null}
        </p>
      ) : null}
      {list.isPending ? <LoadingList rowHeight={58} /> : null}
      {list.isLoadingError ? <FailedState error={list.error} onRetry={() => void list.refetch()} /> : null}
      {list.isSuccess && !backups.length ? (
        <EmptyState icon={<IconArchive size={22} />} title="No backups yet">
          A backup holds the whole data directory at one moment.
        </EmptyState>
      ) : null}
      {backups.length ? (
        <div className={classes.list}>
          {backups.map((backup) => (
            <div key={backup.key} className={classes.listRow}>
              <span className={classes.listName}>
                <div className="mono truncate" title={backup.key}>
                  {backup.key}
                </div>
                <div className="hint">
                  {sizeText(backup.size)} · <DateView value={backup.modified} />
                </div>
              </span>
              <ActionIcon
                data-tip="Download"
                aria-label={`Download ${backup.key}`}
                loading={busy === backup.key}
                onClick={() => void download(backup)}
              >
                <IconDownload size={16} />
              </ActionIcon>
              <Menu position="bottom-end">
                <Menu.Target>
                  <ActionIcon aria-label={`More for ${backup.key}`}>
                    <IconDots size={16} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item
                    leftSection={<IconRestore size={16} />}
                    disabled={blocked}
                    onClick={() => void restore(backup)}
                  >
                    Restore
                  </Menu.Item>
                  <Menu.Item data-danger leftSection={<IconTrash size={16} />} onClick={() => void remove(backup)}>
                    Delete
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            </div>
          ))}
        </div>
      ) : null}
      <h2 style={{ margin: '32px 0 12px', fontSize: 16 }}>Options</h2>
      <BackupOptions />
      {creating ? (
        <CreateBackupDialog
          onClose={() => setCreating(false)}
          onCreated={() => {
            setCreating(false);
            void list.refetch();
            void health.refetch();
          }}
        />
      ) : null}
    </>
  );
}

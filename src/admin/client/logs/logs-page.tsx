import { ActionIcon, Button, Switch } from '@mantine/core';
import { IconDownload, IconListDetails, IconRefresh, IconSettings, IconX } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { filterErrorOf } from '../api/failure.js';
import { FooterTotal } from '../app/footer.js';
import { usePageTitle } from '../app/use-page-title.js';
import { useStored } from '../app/use-stored.js';
import { DateView } from '../design/date-view.js';
import { downloadJson } from '../design/download.js';
import { LoadMore } from '../design/load-more.js';
import { EmptyState, FailedState, LoadingRows } from '../design/states.js';
import { Tick } from '../design/tick.js';
import { toastError } from '../design/toast.js';
import { useRangeSelection } from '../design/use-range-selection.js';
import recordClasses from '../records/records.module.css';
import { SearchBar } from '../records/search-bar.js';
import type { LogsSearch } from '../app/search.js';
import { LevelLabel } from './level-label.js';
import { LoadingChart } from './loading-chart.js';
import { keyValues } from './log-model.js';
import { LogPanel } from './log-panel.js';
import classes from './logs.module.css';
import { LogsSettingsDialog } from './logs-settings-dialog.js';
import { useLogs, type TimeRange } from './use-logs.js';

const LogsChart = lazy(async () => ({ default: (await import('./logs-chart.js')).LogsChart }));

const NAMES = [
  'id',
  'created',
  'level',
  'message',
  'data.type',
  'data.status',
  'data.method',
  'data.url',
  'data.auth',
  'data.authId',
  'data.userIP',
  'data.remoteIP',
  'data.execTime',
  'data.userAgent',
  'data.referer',
  'data.error',
];

/** The log: how much happened when, and what (UI-50). */
export function LogsPage() {
  usePageTitle('Logs');
  const { filter = '', log } = useSearch({ strict: false }) as LogsSearch;
  const navigate = useNavigate();
  const [superusers, setSuperusers] = useStored('roost_logs_superusers', false);
  const [range, setRange] = useState<TimeRange | null>(null);
  const [settings, setSettings] = useState(false);
  const { list, entries, stats, total, refresh } = useLogs(filter, superusers, range);
  const order = useMemo(() => entries.map((entry) => entry.id), [entries]);
  const selection = useRangeSelection(order);
  const scope = useMemo(() => ({ collections: [], names: NAMES }), []);
  const go = (next: LogsSearch) => void navigate({ to: '/logs' as never, search: { filter, log, ...next } as never });
  const reload = async () => {
    const { error } = await refresh();
    // What was there stays, so the failure is told beside it.
    if (error && entries.length) toastError(error);
  };
  const chosen = entries.filter((entry) => selection.selected.has(entry.id));
  const filterError = filter ? filterErrorOf(list.error) : undefined;
  const all = entries.length > 0 && chosen.length === entries.length;
  return (
    <section className={recordClasses.page} style={{ height: '100%', background: 'var(--surface)' }} aria-label="Logs">
      <div className={recordClasses.bar}>
        <h1 className={recordClasses.title}>Logs</h1>
        <ActionIcon data-tip aria-label="Settings of the logs" onClick={() => setSettings(true)}>
          <IconSettings size={17} />
        </ActionIcon>
        <ActionIcon
          data-tip
          aria-label="Refresh"
          onClick={() => void reload()}
          loading={list.isFetching && !list.isFetchingNextPage && !list.isPending}
        >
          <IconRefresh size={17} />
        </ActionIcon>
        <span className={recordClasses.spacer} />
        <Switch
          size="xs"
          label="Include requests by superusers"
          checked={superusers}
          onChange={(event) => setSuperusers(event.currentTarget.checked)}
        />
      </div>
      <SearchBar
        value={filter}
        onSearch={(next) => go({ filter: next })}
        scope={scope}
        historyKey="logs"
        placeholder={'Search, or filter like  level > 0 && data.auth = "users"'}
        error={filterError}
      />
      {/* Its place is kept while it is on its way, and given up when there is nothing to draw. */}
      {stats.isPending || list.isPending || stats.data?.length || range ? (
        <div className={classes.chart}>
          <Suspense fallback={<LoadingChart />}>
            {stats.isPending ? <LoadingChart /> : null}
            {stats.data?.length ? <LogsChart stats={stats.data} range={range} onRange={setRange} /> : null}
          </Suspense>
          {range ? (
            <Button
              size="compact-xs"
              variant="default"
              className={classes.reset}
              leftSection={<IconX size={12} />}
              onClick={() => setRange(null)}
            >
              Reset zoom
            </Button>
          ) : null}
        </div>
      ) : null}
      {list.isPending ? <LoadingRows rowHeight={46} /> : null}
      {list.isLoadingError && !filterError ? <FailedState error={list.error} onRetry={() => void reload()} /> : null}
      {list.isSuccess && !entries.length ? (
        <EmptyState
          icon={<IconListDetails size={22} />}
          title={filter || range ? 'Nothing matches' : 'No entries yet'}
          action={
            filter ? (
              <Button variant="default" size="xs" onClick={() => go({ filter: '' })}>
                Clear the search
              </Button>
            ) : null
          }
        >
          {filter || range ? 'No entry fits this search.' : 'Requests and messages of the server appear here.'}
        </EmptyState>
      ) : null}
      {entries.length ? (
        <div className={recordClasses.scroller} tabIndex={-1}>
          <table className={`${recordClasses.table} ${classes.table}`} aria-label="Log entries">
            <colgroup>
              <col style={{ width: 42 }} />
              <col className={classes.levelColumn} />
              <col />
              <col className={classes.dateColumn} />
            </colgroup>
            <thead>
              <tr>
                <td className={recordClasses.tick}>
                  <Tick
                    label="Select all loaded entries"
                    checked={all}
                    some={!all && chosen.length > 0}
                    onTick={() => (all ? selection.clear() : selection.setAll(order))}
                  />
                </td>
                <th scope="col" className={classes.head}>
                  Level
                </th>
                <th scope="col" className={classes.head}>
                  Message
                </th>
                <th scope="col" className={classes.head}>
                  Created
                </th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <tr
                  key={entry.id}
                  className={recordClasses.row}
                  data-selected={selection.selected.has(entry.id) || undefined}
                  tabIndex={0}
                  onClick={() => go({ log: entry.id })}
                  onKeyDown={(event) => {
                    if (event.target === event.currentTarget && (event.key === 'Enter' || event.key === ' ')) {
                      event.preventDefault();
                      go({ log: entry.id });
                    }
                  }}
                >
                  <td
                    className={recordClasses.tick}
                    onClick={(event) => {
                      event.stopPropagation();
                      selection.toggle(entry.id, event.shiftKey);
                    }}
                  >
                    <Tick label={`Select entry ${entry.id}`} checked={selection.selected.has(entry.id)} />
                  </td>
                  <td>
                    <LevelLabel level={entry.level} />
                  </td>
                  <td>
                    <div className={classes.message}>
                      <span className="truncate" dir="auto">
                        {entry.message}
                      </span>
                      <span className={classes.values}>
                        <span className={`${classes.value} ${classes.when}`}>{entry.created.slice(0, 19)} UTC</span>
                        {keyValues(entry).map(([key, value]) => (
                          <span key={key} className={classes.value}>
                            {key}: {value}
                          </span>
                        ))}
                        {entry.data.error ? (
                          <span className={`${classes.value} ${classes.error}`}>{String(entry.data.error)}</span>
                        ) : null}
                      </span>
                    </div>
                  </td>
                  <td>
                    <DateView value={entry.created} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {list.hasNextPage ? (
            <div className={recordClasses.more}>
              <LoadMore list={list} label="Load older" />
            </div>
          ) : null}
        </div>
      ) : null}
      {chosen.length ? (
        <div className={recordClasses.selectionBar} role="region" aria-label="Selection" data-bar>
          <span className="tabular">
            <b>{chosen.length}</b> selected
          </span>
          <ActionIcon size={28} aria-label="Reset the selection" onClick={selection.clear}>
            <IconX size={15} />
          </ActionIcon>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            onClick={() => downloadJson('logs.json', chosen)}
          >
            Download as JSON
          </Button>
        </div>
      ) : null}
      <FooterTotal>
        {total === undefined ? '' : `${total.toLocaleString('en')} ${total === 1 ? 'entry' : 'entries'}`}
      </FooterTotal>
      {log ? <LogPanel id={log} onClose={() => go({ log: undefined })} /> : null}
      {settings ? <LogsSettingsDialog onClose={() => setSettings(false)} onDeleted={() => void reload()} /> : null}
    </section>
  );
}

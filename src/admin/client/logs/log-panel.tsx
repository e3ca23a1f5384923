import { Button } from '@mantine/core';
import { IconCopy, IconDownload, IconLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.js';
import { localTime, parseStored } from '../design/stored-date.js';
import { copyText } from '../design/copy-text.js';
import { downloadJson } from '../design/download.js';
import { SidePanel } from '../design/side-panel.js';
import { FailedState, LoadingLines } from '../design/states.js';
import { LevelLabel } from './level-label.js';
import type { LogEntry } from '../api/models.js';
import classes from './logs.module.css';

function Datum({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className={classes.datum}>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}

function textOf(key: string, value: unknown): string {
  if (typeof value === 'object') return JSON.stringify(value, null, 2);
  return key === 'execTime' ? String(Number(Number(value).toFixed(3))) : String(value);
}

/** One entry of the log with everything it says (UI-51). */
export function LogPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const entry = useQuery({
    queryKey: ['log', id],
    queryFn: ({ signal }) => api.logs.getOne(id, { signal }) as unknown as Promise<LogEntry>,
    staleTime: Infinity,
  });
  const { data } = entry;
  const moment = parseStored(data?.created);
  return (
    <SidePanel
      opened
      isText
      onClose={onClose}
      title="Log entry"
      footer={
        <>
          <Button
            variant="default"
            leftSection={<IconLink size={15} />}
            onClick={() => void copyText(window.location.href)}
          >
            Copy link
          </Button>
          {entry.isLoadingError ? null : (
            <>
              <Button
                variant="default"
                disabled={!data}
                leftSection={<IconCopy size={15} />}
                onClick={() => void copyText(JSON.stringify(data, null, 2))}
              >
                Copy JSON
              </Button>
              <Button
                variant="default"
                disabled={!data}
                leftSection={<IconDownload size={15} />}
                onClick={() => downloadJson(`log-${id}.json`, data)}
              >
                Download JSON
              </Button>
            </>
          )}
        </>
      }
    >
      {entry.isPending ? <LoadingLines /> : null}
      {entry.isLoadingError ? (
        <FailedState what="log entry" error={entry.error} onRetry={() => void entry.refetch()} />
      ) : null}
      {data ? (
        <dl style={{ margin: 0 }}>
          <Datum name="id">
            <span className="mono">{data.id}</span>
          </Datum>
          <Datum name="level">
            <LevelLabel level={data.level} />
          </Datum>
          <Datum name="created">
            <div className="mono">{data.created}</div>
            {moment ? <div className="hint">{localTime(moment)} local</div> : null}
          </Datum>
          <Datum name="message">{data.message}</Datum>
          {Object.entries(data.data ?? {}).map(([key, value]) => (
            <Datum key={key} name={`data.${key}`}>
              <span className="mono" style={key === 'error' ? { color: 'var(--danger)' } : undefined}>
                {textOf(key, value)}
              </span>
              {key === 'execTime' ? <span className="unit"> ms</span> : null}
            </Datum>
          ))}
        </dl>
      ) : null}
    </SidePanel>
  );
}

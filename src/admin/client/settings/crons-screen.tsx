import { Button } from '@mantine/core';
import { IconClock, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.js';
import { DateView } from '../design/date-view.js';
import { LoadingList } from '../design/loading-shapes.js';
import { EmptyState, FailedState } from '../design/states.js';
import { toastError, toastSuccess } from '../design/toast.js';
import { nextRun } from './cron-next.js';
import classes from './settings.module.css';

/** The jobs of the server, when they run next, and a way to run them now (UI-67). */
export function CronsScreen() {
  const [busy, setBusy] = useState('');
  const jobs = useQuery({
    queryKey: ['crons'],
    queryFn: ({ signal }) => api.crons.getFullList({ signal }),
    refetchInterval: 60_000,
  });
  if (jobs.isPending) return <LoadingList rows={4} />;
  if (jobs.isLoadingError) return <FailedState error={jobs.error} onRetry={() => void jobs.refetch()} />;
  if (!jobs.data.length) return <EmptyState icon={<IconClock size={22} />} title="No jobs" />;
  const run = async (id: string) => {
    setBusy(id);
    try {
      await api.crons.run(id);
      toastSuccess(`${id} was started.`);
    } catch (error) {
      toastError(error);
    } finally {
      setBusy('');
    }
  };
  return (
    <div className={classes.list}>
      {jobs.data.map((job) => {
        const next = nextRun(job.expression, new Date());
        return (
          <div key={job.id} className={classes.listRow}>
            <span className={classes.listName}>
              <div className="mono truncate" title={job.id}>
                {job.id}
              </div>
              <div className={`hint ${classes.cronTimes}`}>
                <span className="mono">{job.expression}</span>
                {next ? (
                  <span>
                    next <DateView value={next.toISOString().replace('T', ' ')} />
                  </span>
                ) : null}
              </div>
            </span>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconPlayerPlay size={13} />}
              loading={busy === job.id}
              onClick={() => void run(job.id)}
              aria-label={`Run now: ${job.id}`}
            >
              Run now
            </Button>
          </div>
        );
      })}
    </div>
  );
}

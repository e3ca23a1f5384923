import { ActionIcon, Alert, Stack } from '@mantine/core';
import { IconBulb, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../api/api.js';
import { messageOf } from '../api/failure.js';
import type { InsightsModel } from '../api/models.js';
import { DateView } from '../design/date-view.js';
import { FailedState, LoadingLines } from '../design/states.js';
import { sizeText } from '../files/file-kind.js';
import { ErrorNote } from '../login/error-note.js';
import classes from './insights.module.css';

/** Milliseconds between two looks. */
const AGAIN = 30_000;

const number = (value: number) => value.toLocaleString('en');
const time = (milliseconds: number | null) =>
  milliseconds === null
    ? '–'
    : milliseconds < 1000
      ? `${number(milliseconds)} ms`
      : `${number(Math.round(milliseconds / 100) / 10)} s`;

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd className="tabular">{children}</dd>
    </div>
  );
}

function MinutesChart({ minutes }: Pick<InsightsModel, 'minutes'>) {
  const most = Math.max(1, ...minutes.map(({ requests }) => requests));
  const sum = (key: 'requests' | 'errors') => minutes.reduce((total, each) => total + each[key], 0);
  const words = `${number(sum('requests'))} requests and ${number(sum('errors'))} errors in the last hour, at most ${number(most)} requests in a minute`;
  return (
    <section aria-label="Requests per minute">
      <h2>Requests per minute</h2>
      <div className={classes.minutes} role="img" aria-label={words}>
        {minutes.map(({ time: minute, requests, errors }) => (
          <span
            key={minute}
            className={classes.minute}
            title={`${minute.slice(11, 16)} UTC: ${number(requests)} requests, ${number(errors)} errors`}
          >
            <span className={classes.errors} style={{ height: `${(errors / most) * 100}%` }} />
            <span className={classes.requests} style={{ height: `${((requests - errors) / most) * 100}%` }} />
          </span>
        ))}
      </div>
      <p className="hint tabular">{words}.</p>
    </section>
  );
}

interface TableProps {
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly ReactNode[])[];
  readonly empty: string;
}

/** A table whose first column is a text and whose others are figures. */
function Figures({ title, heads, rows, empty }: TableProps) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {rows.length ? (
        <div className={classes.scroll} tabIndex={0} role="region" aria-label={`Table: ${title}`}>
          <table>
            <thead>
              <tr>
                {heads.map((head) => (
                  <th key={head} scope="col">
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                // eslint-disable-next-line react/no-array-index-key
                <tr key={at}>
                  {row.map((cell, column) => (
                    // eslint-disable-next-line react/no-array-index-key
                    <td key={column}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <p className="hint">{empty}</p>
      )}
    </section>
  );
}

/** How the server is doing: what is slow, what is large, and what had better be done (UI-80). */
export function InsightsScreen() {
  const insights = useQuery({
    queryKey: ['insights'],
    queryFn: ({ signal }) => api.send<InsightsModel>('/api/insights', { signal }),
    refetchInterval: AGAIN,
  });
  const { data } = insights;
  if (insights.isLoadingError) return <FailedState error={insights.error} onRetry={() => void insights.refetch()} />;
  if (!data) return <LoadingLines lines={10} />;
  const { sizes, latency } = data;
  // SQLite keeps all collections in one file.
  const tellsBytes = sizes.collections.some(({ bytes }) => bytes !== null);
  return (
    <Stack gap={26} className={classes.insights}>
      <ErrorNote
        message={
          insights.isRefetchError
            ? `These figures are old: others could not be loaded. ${messageOf(insights.error)}`
            : null
        }
      />
      {data.advice.length ? (
        <Alert icon={<IconBulb size={18} />} color="accent" title="What had better be done" role="note">
          <ul className={classes.advice}>
            {data.advice.map(({ message, collection }) => (
              <li key={message}>
                {message} {collection ? <a href={`#/collections/${collection}`}>Open {collection}</a> : null}
              </li>
            ))}
          </ul>
        </Alert>
      ) : null}
      <div>
        <dl className={classes.figures}>
          <Figure name="Median (p50)">{time(latency.p50)}</Figure>
          <Figure name="95 of 100 (p95)">{time(latency.p95)}</Figure>
          <Figure name="99 of 100 (p99)">{time(latency.p99)}</Figure>
          <Figure name="Open streams">{number(data.streams)}</Figure>
          <Figure name="Database">{sizes.database === null ? '–' : sizeText(sizes.database)}</Figure>
          <Figure name="Logs">{sizes.logs === null ? '–' : sizeText(sizes.logs)}</Figure>
          <Figure name="Files">
            {sizes.files === null || sizes.files.count === 0
              ? '–'
              : `${sizes.files.isAll ? '' : 'more than '}${sizeText(sizes.files.bytes)} in ${number(sizes.files.count)}`}
          </Figure>
        </dl>
        <p className="hint">
          Times are those of the last hour. Routes and statements are counted since <DateView value={data.since} />, by
          this process alone.
          <ActionIcon
            size={24}
            aria-label="Refresh"
            data-tip
            loading={insights.isFetching}
            onClick={() => void insights.refetch()}
          >
            <IconRefresh size={15} />
          </ActionIcon>
        </p>
      </div>
      <MinutesChart minutes={data.minutes} />
      <Figures
        title="Slowest routes"
        heads={['Route', 'p95', 'Average', 'Slowest', 'Requests', 'Errors']}
        empty="Nothing was asked for yet."
        rows={data.routes.map(({ route, p95, average, slowest, requests, errors }) => [
          <code key="route">{route}</code>,
          time(p95),
          time(average),
          time(slowest),
          number(requests),
          number(errors),
        ])}
      />
      <Figures
        title="Slowest statements"
        heads={['Statement', 'Slowest', 'Average', 'Runs']}
        empty="No reading statement took long enough to be measured."
        rows={data.statements.map(({ sql, slowest, average, runs }) => [
          <code key="sql" className={classes.sql}>
            {sql}
          </code>,
          time(slowest),
          time(average),
          number(runs),
        ])}
      />
      <Figures
        title="Collections"
        heads={['Collection', 'Records', ...(tellsBytes ? ['Size'] : [])]}
        empty="There are none."
        rows={sizes.collections.map(({ id, name, records, bytes }) => [
          <a key={id} href={`#/collections/${name}`}>
            {name}
          </a>,
          records === null ? 'not counted' : number(records),
          ...(tellsBytes ? [bytes === null ? '–' : sizeText(bytes)] : []),
        ])}
      />
    </Stack>
  );
}

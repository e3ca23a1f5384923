import { Button, Group, SegmentedControl } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { SqlAnswer } from '../api/models.js';
import { barOf, chartPoints, type ChartPoint } from './chart-points.js';
import { planTree, type PlanStep } from './plan-tree.js';
import classes from './settings.module.css';

const SHOWN = 250;

function compare(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  const difference = Number(a) - Number(b);
  return Number.isNaN(difference) || a === '' || b === '' ? a.localeCompare(b) : difference;
}

function ResultTable({ answer }: { answer: SqlAnswer }) {
  const [sort, setSort] = useState<{ column: number; down: boolean } | null>(null);
  const [shown, setShown] = useState(SHOWN);
  const rows = useMemo(() => {
    if (!sort) return answer.rows;
    const ordered = [...answer.rows].sort((a, b) => compare(a[sort.column]!, b[sort.column]!));
    return sort.down ? ordered.toReversed() : ordered;
  }, [answer, sort]);
  return (
    <>
      <div className={classes.result} tabIndex={0} role="region" aria-label="Result">
        <table>
          <thead>
            <tr>
              {answer.columns.map((column, index) => (
                <th
                  // Two columns may have one name.
                  // eslint-disable-next-line react/no-array-index-key
                  key={index}
                  scope="col"
                  aria-sort={sort?.column === index ? (sort.down ? 'descending' : 'ascending') : 'none'}
                >
                  <button
                    type="button"
                    onClick={() => setSort({ column: index, down: sort?.column === index && !sort.down })}
                  >
                    {column.name}
                    {sort?.column === index ? (sort.down ? ' ↓' : ' ↑') : ''}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, index) => (
              // A result has no key of its own.
              // eslint-disable-next-line react/no-array-index-key
              <tr key={index}>
                {row.map((cell, column) => (
                  // eslint-disable-next-line react/no-array-index-key
                  <td key={column} title={cell ?? undefined} dir="auto">
                    {cell ?? <span className="hint">NULL</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown ? (
        <Group justify="center">
          <Button size="xs" variant="default" onClick={() => setShown(shown + SHOWN)}>
            Show more ({rows.length - shown})
          </Button>
        </Group>
      ) : null}
    </>
  );
}

function Chart({ points, names }: { points: readonly ChartPoint[]; names: readonly [string, string] }) {
  return (
    <div className={classes.chart} role="list" aria-label={`${names[1]} by ${names[0]}`} tabIndex={0}>
      {points.map((point, at) => {
        const { from, length } = barOf(point.value, points);
        return (
          // eslint-disable-next-line react/no-array-index-key
          <div key={at} role="listitem" className={classes.chartRow}>
            <span className="truncate" title={point.label} dir="auto">
              {point.label}
            </span>
            <span className={classes.chartTrack}>
              <span className={classes.chartBar} style={{ marginLeft: `${from * 100}%`, width: `${length * 100}%` }} />
            </span>
            <span className="mono tabular">{point.value.toLocaleString('en')}</span>
          </div>
        );
      })}
    </div>
  );
}

function Plan({ steps }: { steps: readonly PlanStep[] }) {
  return (
    <ul className={classes.plan}>
      {steps.map((step, at) => (
        // eslint-disable-next-line react/no-array-index-key
        <li key={at}>
          <span className="mono">{step.detail}</span>
          {step.advice ? (
            <span className={classes.planAdvice}>
              <IconAlertTriangle size={14} role="img" aria-label="Warning" /> {step.advice}
            </span>
          ) : null}
          {step.steps.length ? <Plan steps={step.steps} /> : null}
        </li>
      ))}
    </ul>
  );
}

/**
 * What came of a statement: the tree of a query plan, a table, or a chart where there are two columns (UI-70, UI-81).
 */
export function SqlResult({ answer }: { answer: SqlAnswer }) {
  const [view, setView] = useState('table');
  const steps = useMemo(() => planTree(answer), [answer]);
  const points = useMemo(() => chartPoints(answer), [answer]);
  if (steps) {
    return (
      <section aria-label="Query plan">
        <Plan steps={steps} />
      </section>
    );
  }
  return (
    <>
      {points ? (
        <SegmentedControl
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          aria-label="Show as"
          value={view}
          onChange={setView}
          data={[
            { value: 'table', label: 'Table' },
            { value: 'chart', label: 'Chart' },
          ]}
        />
      ) : null}
      {points && view === 'chart' ? (
        <Chart points={points} names={[answer.columns[0]!.name, answer.columns[1]!.name]} />
      ) : (
        <ResultTable answer={answer} />
      )}
    </>
  );
}

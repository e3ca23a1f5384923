import { Button, Skeleton } from '@mantine/core';
import { IconAlertTriangle, IconMapQuestion, IconRefresh } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import { isMissing, messageOf } from '../api/failure.js';
import classes from './states.module.css';

/** What would be here, and the one action that fills it. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={classes.state}>
      {icon ? <div className={classes.icon}>{icon}</div> : null}
      <p className={classes.title}>{title}</p>
      {children ? <p className={classes.text}>{children}</p> : null}
      {action}
    </div>
  );
}

interface FailedStateProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** What it is called when the server says that there is no such thing: "record". */
  readonly what?: string;
}

/** What went wrong, in a sentence, with a way to try again. */
export function FailedState({ error, onRetry, what }: FailedStateProps) {
  if (what && isMissing(error)) {
    return (
      <div className={classes.state} role="alert">
        <div className={classes.icon}>
          <IconMapQuestion size={22} />
        </div>
        <p className={classes.title}>There is no such {what}</p>
        <p className={classes.text}>It may have been deleted, or the link to it is wrong.</p>
      </div>
    );
  }
  return (
    <div className={classes.state} role="alert">
      <div className={classes.icon} data-danger>
        <IconAlertTriangle size={22} />
      </div>
      <p className={classes.title}>This could not be loaded</p>
      <p className={classes.text}>{messageOf(error)}</p>
      {onRetry ? (
        <Button variant="default" size="xs" leftSection={<IconRefresh size={14} />} onClick={onRetry}>
          Try again
        </Button>
      ) : null}
    </div>
  );
}

/** How long something may take without a sign of it, in ms. */
const UNNOTICED = 150;

/** Shapes of what is coming that can be seen now. */
let shapes = 0;

/** True once it has taken noticeably long; at once where that `isKnown`. */
function useLate(isKnown = false): boolean {
  const [late, setLate] = useState(isKnown);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), UNNOTICED);
    return () => clearTimeout(timer);
  }, []);
  return late;
}

/**
 * A bar at the very top while the code of what was asked for is on its way; shown only when it takes noticeably long.
 */
export function LoadingBar() {
  return useLate() ? <div className={classes.bar} role="status" aria-label="Loading" /> : null;
}

interface LoadingProps {
  readonly className?: string;
  /** How high the shape will be: its place is kept from the start, so that nothing below it jumps. */
  readonly height?: number;
  readonly children: ReactNode;
}

/**
 * Holds the shape of what is coming; shown only when it takes noticeably long. One that takes the place of another, as
 * records do once collections are there, is seen at once: nothing blinks between them.
 */
export function Loading({ className, height, children }: LoadingProps) {
  const late = useLate(shapes > 0);
  useEffect(() => {
    if (!late) return;
    shapes += 1;
    return () => void (shapes -= 1);
  }, [late]);
  return (
    <div
      className={className}
      style={{ minHeight: height }}
      role="status"
      aria-label="Loading"
      data-late={late || undefined}
    >
      {late ? children : null}
    </div>
  );
}

/** Lines in the shape of what is coming. */
export function LoadingLines({ lines = 6 }: { lines?: number }) {
  return (
    <Loading className={classes.lines}>
      {Array.from({ length: lines }, (_, index) => (
        <Skeleton key={index} height={14} width={`${92 - ((index * 17) % 40)}%`} />
      ))}
    </Loading>
  );
}

/** A table in the shape of the one that is coming, row by row as high as its rows will be. */
export function LoadingRows({ rowHeight }: { rowHeight: number }) {
  return (
    <Loading className={classes.rows}>
      <div className={classes.rowsHead} />
      {Array.from({ length: 12 }, (_, index) => (
        <div key={index} className={classes.rowsRow} style={{ height: rowHeight }}>
          <Skeleton height={12} width={110} />
          <Skeleton height={12} width={`${46 - ((index * 17) % 30)}%`} />
        </div>
      ))}
    </Loading>
  );
}

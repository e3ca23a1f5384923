import { Skeleton } from '@mantine/core';
import classes from './loading-shapes.module.css';
import { Loading } from './states.js';

/** A form in the shape of the one that is coming: names with their inputs. */
export function LoadingForm({ inputs = 4 }: { inputs?: number }) {
  return (
    <Loading className={classes.form} height={inputs * 72 - 18}>
      {Array.from({ length: inputs }, (_, index) => (
        <div key={index}>
          <Skeleton height={12} width={70 + ((index * 29) % 50)} mb={8} />
          <Skeleton height={34} radius={6} />
        </div>
      ))}
    </Loading>
  );
}

/** A framed list in the shape of the one that is coming, each row with its control at the end. */
export function LoadingList({ rows = 3, rowHeight = 52 }: { rows?: number; rowHeight?: number }) {
  return (
    <Loading className={classes.list} height={rows * rowHeight + 2}>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={classes.row} style={{ height: rowHeight }}>
          <Skeleton height={12} width={`${52 - ((index * 17) % 20)}%`} />
          <Skeleton height={20} width={20} radius={6} />
        </div>
      ))}
    </Loading>
  );
}

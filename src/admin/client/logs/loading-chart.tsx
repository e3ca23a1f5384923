import { Skeleton } from '@mantine/core';
import { Loading } from '../design/states.js';
import classes from './logs.module.css';

/** Bars in the shape of the chart that is coming. */
export function LoadingChart() {
  return (
    <Loading className={classes.chartShape}>
      {Array.from({ length: 24 }, (_, index) => (
        <Skeleton key={index} height={14 + ((index * 29) % 52)} radius={3} />
      ))}
    </Loading>
  );
}

import type { ReactNode } from 'react';
import classes from './side-by-side.module.css';

/** Inputs in columns of one width, whatever is in them; below each other where there is no room. */
export function SideBySide({ children }: { children: ReactNode }) {
  return <div className={classes.row}>{children}</div>;
}

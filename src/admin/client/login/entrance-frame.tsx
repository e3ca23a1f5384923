import '../design/mantine-more-styles.js';
import type { ReactNode } from 'react';
import { Logo } from '../app/logo.js';
import classes from './entrance-frame.module.css';

/** The frame of every page that can be seen without a session. */
export function EntranceFrame({ title, lead, children }: { title: string; lead?: ReactNode; children?: ReactNode }) {
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <Logo size={40} />
        <h1 className={classes.title}>{title}</h1>
        {lead ? <p className={classes.lead}>{lead}</p> : null}
        {children}
      </div>
    </main>
  );
}

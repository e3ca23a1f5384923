import './mantine-more-styles.js';
import { Collapse } from '@mantine/core';
import { IconChevronRight, IconExclamationCircle } from '@tabler/icons-react';
import { useEffect, useId, useState, type ReactNode } from 'react';
import classes from './section.module.css';

interface SectionProps {
  readonly title: string;
  /** A word about its state, such as "Enabled". */
  readonly state?: string;
  readonly on?: boolean;
  readonly failed?: boolean;
  readonly initiallyOpen?: boolean;
  readonly children: ReactNode;
}

/** A part of a form that opens in place; it opens by itself when something in it failed. */
export function Section({ title, state, on, failed, initiallyOpen = false, children }: SectionProps) {
  const [open, setOpen] = useState(initiallyOpen);
  const id = useId();
  useEffect(() => {
    if (failed) setOpen(true);
  }, [failed]);
  return (
    <section className={classes.section} data-failed={failed || undefined} aria-label={title}>
      <button
        type="button"
        className={classes.head}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <IconChevronRight size={15} aria-hidden className={classes.chevron} data-open={open || undefined} />
        <span className={classes.title}>{title}</span>
        {failed ? <IconExclamationCircle size={16} color="var(--danger)" role="img" aria-label="has errors" /> : null}
        {state ? (
          <span className={classes.state} data-on={on || undefined}>
            {state}
          </span>
        ) : null}
      </button>
      <Collapse expanded={open} id={id}>
        <div className={classes.body}>{children}</div>
      </Collapse>
    </section>
  );
}

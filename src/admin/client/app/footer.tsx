import { useEffect, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { version } from './version.js';
import classes from './shell.module.css';

/** The last line of every screen: what the screen counts, documentation, version (UI-5). */
export function Footer() {
  return (
    <footer className={classes.footer}>
      <span className={classes.total} id="footer-total" aria-live="polite" />
      <a href="#/docs">Docs</a>
      <span>Roost {version}</span>
    </footer>
  );
}

/** What the current screen counts, shown in the footer. */
export function FooterTotal({ children }: { children: ReactNode }) {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  useEffect(() => setTarget(document.getElementById('footer-total')), []);
  return target ? createPortal(children, target) : null;
}

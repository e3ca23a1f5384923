import { Suspense, useEffect, type ReactNode } from 'react';
import { LoadingLines } from '../design/states.js';
import { Footer } from './footer.js';
import { Header } from './header.js';
import { InsecureBanner } from './insecure-banner.js';
import { loadAhead } from './load-ahead.js';
import { ShortcutsDialog } from './shortcuts-dialog.js';
import classes from './shell.module.css';

/** The frame of every screen behind the sign-in. */
export function Shell({ children }: { children: ReactNode }) {
  useEffect(loadAhead, []);
  return (
    <div className={classes.shell}>
      <a
        className="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        Skip to content
      </a>
      <Header />
      <InsecureBanner />
      <main id="main" className={classes.main} tabIndex={-1}>
        <Suspense fallback={<LoadingLines />}>{children}</Suspense>
      </main>
      <Footer />
      <ShortcutsDialog />
    </div>
  );
}

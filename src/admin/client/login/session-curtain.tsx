import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { api } from '../api/api.js';
import { useLayer } from '../design/layers.js';
import classes from './session-curtain.module.css';

/**
 * Hangs before the page while nobody is signed in: what is open behind it can be neither seen nor reached, and is there
 * again afterwards with all that was typed. Then what was fetched is asked for anew, but for the record that is being
 * edited.
 */
export function SessionCurtain({ children }: { children: ReactNode }) {
  useLayer(true);
  const queries = useQueryClient();
  const [curtain] = useState(() => document.createElement('div'));
  useLayoutEffect(() => {
    const { title } = document;
    const behind = [...document.body.children].filter((each) => each instanceof HTMLElement && !each.inert);
    for (const each of behind as HTMLElement[]) {
      each.inert = true;
      each.style.visibility = 'hidden';
    }
    document.body.append(curtain);
    return () => {
      curtain.remove();
      for (const each of behind as HTMLElement[]) {
        each.inert = false;
        each.style.visibility = '';
      }
      document.title = title;
    };
  }, [curtain]);
  useEffect(
    () => () => {
      if (!api.authStore.isValid) return;
      void queries.invalidateQueries({
        predicate: ({ queryKey, state }) => queryKey[0] !== 'record' || state.data === undefined,
      });
    },
    [queries],
  );
  return createPortal(<div className={classes.curtain}>{children}</div>, curtain);
}

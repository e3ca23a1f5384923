import { createContext, lazy, Suspense, useCallback, useContext, useEffect, useState, type ReactNode } from 'react';
import type { Question } from './question.js';

type Ask = (question: Question) => Promise<boolean>;

const ConfirmContext = createContext<Ask | null>(null);

interface Pending extends Question {
  readonly resolve: (answer: boolean) => void;
}

const QuestionDialog = lazy(async () => ({ default: (await import('./question-dialog.js')).QuestionDialog }));

/** Asks questions before what cannot be undone. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [pending, setPending] = useState<Pending | null>(null);
  const ask = useCallback<Ask>((question) => new Promise((resolve) => setPending({ ...question, resolve })), []);
  useEffect(() => {
    if (!pending) return undefined;
    // Who leaves the place a question is about has not said yes.
    const leave = () => {
      pending.resolve(false);
      setPending(null);
    };
    window.addEventListener('popstate', leave);
    return () => window.removeEventListener('popstate', leave);
  }, [pending]);
  const done = (answer: boolean) => {
    pending?.resolve(answer);
    setPending(null);
  };
  return (
    <ConfirmContext.Provider value={ask}>
      {children}
      {pending ? (
        <Suspense fallback={null}>
          <QuestionDialog pending={pending} onDone={done} />
        </Suspense>
      ) : null}
    </ConfirmContext.Provider>
  );
}

/** A function that shows a question and resolves to the answer. */
export function useConfirm(): Ask {
  const ask = useContext(ConfirmContext);
  if (!ask) throw new Error('useConfirm needs a ConfirmProvider.');
  return ask;
}

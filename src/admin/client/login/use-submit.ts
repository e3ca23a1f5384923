import { useState, type FormEvent } from 'react';
import { messageOf } from '../api/failure.js';
import { useFieldErrors } from '../api/use-field-errors.js';

/**
 * The life of a form with one action: busy while it runs, its failure as a sentence and at the fields, done after it.
 */
export function useSubmit(action: () => Promise<void>, initialError: string | null = null) {
  const errors = useFieldErrors();
  const [error, setError] = useState(initialError);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);
  const run = async () => {
    setBusy(true);
    setError(null);
    try {
      await action();
      setDone(true);
    } catch (failure) {
      errors.set(failure);
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  return { errors, error, busy, done, onSubmit };
}

import { useMemo } from 'react';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { useStored } from '../app/use-stored.js';

interface Choice {
  readonly hide: readonly string[];
  readonly show: readonly string[];
}

/** The columns of a record list, remembered per collection. Hidden fields are off until switched on. */
export function useColumns(collection: CollectionModel) {
  const [choice, setChoice] = useStored<Choice>(`roost_columns_${collection.id}`, { hide: [], show: [] });
  const available = useMemo(() => {
    const fields = collection.fields.filter(
      (field) => field.type !== 'password' && !(collection.type === 'auth' && field.name === 'tokenKey'),
    );
    // The id first, dates last, whatever the order of the definition.
    const rank = (field: FieldModel) => (field.name === 'id' ? 0 : field.type === 'autodate' ? 2 : 1);
    return [...fields].sort((a, b) => rank(a) - rank(b));
  }, [collection]);
  const shown = useMemo(
    () =>
      new Set(
        available
          .filter((field) => (choice.show.includes(field.name) || !field.hidden) && !choice.hide.includes(field.name))
          .map((field) => field.name),
      ),
    [available, choice],
  );
  const toggle = (name: string) =>
    setChoice((current) =>
      shown.has(name)
        ? { hide: [...current.hide, name], show: current.show.filter((each) => each !== name) }
        : { hide: current.hide.filter((each) => each !== name), show: [...current.show, name] },
    );
  const columns = useMemo(() => available.filter((field) => shown.has(field.name)), [available, shown]);
  return { available, shown, toggle, columns };
}

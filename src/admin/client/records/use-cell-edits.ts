import type { RecordModel } from 'pocketbase';
import { useCallback, useMemo, useReducer, useRef } from 'react';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { errorAt, errorTreeOf, messageOf } from '../api/failure.js';
import { useCollections } from '../api/queries.js';
import { cellEdits, NO_EDITS, type CellEdits, type CellEvent, type CellPlace, type PendingCell } from './cell-edits.js';
import { bodyOf } from './record-form.js';
import { expandOf, listFields } from './record-query.js';

export interface CellEditing {
  readonly edits: CellEdits;
  readonly tell: (event: CellEvent) => void;
  /** Saves the value of one cell, after those before it. */
  readonly save: (place: CellPlace, value: unknown) => void;
}

/** The cells that are edited in a list, saved one by one in the order in which they were left (UI-72). */
export function useCellEdits(collection: CollectionModel, onSaved: (record: RecordModel) => void): CellEditing {
  const [edits, tell] = useReducer(cellEdits, NO_EDITS);
  const { data: collections = [] } = useCollections();
  const queue = useRef(Promise.resolve());
  const latest = useRef({ collection, collections, onSaved });
  latest.current = { collection, collections, onSaved };
  const save = useCallback((place: CellPlace, value: unknown) => {
    const cell: PendingCell = { id: place.id, name: place.name, value };
    tell({ kind: 'save', cell });
    const send = async () => {
      const { collection: target, collections: all, onSaved: done } = latest.current;
      const { body, errors } = bodyOf({ [cell.name]: value }, {}, target, false);
      const found = errors[cell.name];
      if (found) {
        tell({ kind: 'failed', cell, error: found.message });
        return;
      }
      try {
        const options = { expand: expandOf(target, all), fields: listFields(target) };
        const record = await api.collection(target.id).update(cell.id, body, options);
        done(record);
        tell({ kind: 'saved', cell });
      } catch (error) {
        tell({ kind: 'failed', cell, error: errorAt(errorTreeOf(error), cell.name) ?? messageOf(error) });
      }
    };
    queue.current = queue.current.then(send);
  }, []);
  return useMemo(() => ({ edits, tell, save }), [edits, save]);
}

import { createContext, useContext, type ComponentType } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import type { FormValues } from './record-form.js';
import type { RecordChange } from './live-pages.js';

export interface RecordPanelProps {
  readonly collection: CollectionModel;
  /** Absent for a new record. */
  readonly id?: string;
  readonly onClose: () => void;
  /** After every successful save or delete; `stay` when the panel stays open. */
  readonly onChange: (change: RecordChange, stay: boolean) => void;
  /** What a new record begins with: the values of another one. */
  readonly filledWith?: FormValues;
  readonly onDuplicate?: (values: FormValues) => void;
}

/** The panel of a record, for inputs within it that open others: they would go round in a circle with it. */
export const RecordPanelContext = createContext<ComponentType<RecordPanelProps> | null>(null);

export function useRecordPanel(): ComponentType<RecordPanelProps> {
  const panel = useContext(RecordPanelContext);
  if (!panel) throw new Error('Nobody has provided the panel of records.');
  return panel;
}

import { IconPuzzleOff } from '@tabler/icons-react';
import type { RecordModel } from 'pocketbase';
import type { ReactNode } from 'react';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import classes from './extensions.module.css';
import { textOf } from './load-extension.js';
import { useExtensionElement } from './use-extension-element.js';

interface ExtensionCellProps {
  readonly script: string;
  /** The name of the custom element. */
  readonly name: string;
  readonly record: RecordModel;
  readonly field: FieldModel;
  readonly collection: Pick<CollectionModel, 'id' | 'name'>;
  /** The value as text, until the element stands there and where it does not. */
  readonly children: ReactNode;
}

/** The short view of a module for values of its field type (UI-75). */
export function ExtensionCell({ script, name, record, field, collection, children }: ExtensionCellProps) {
  const value = record[field.name] as unknown;
  const { place, isShown, failure } = useExtensionElement({
    script,
    name,
    properties: { field, collection, record, value },
  });
  if (failure) {
    return (
      <span className={classes.failedCell} data-tip={textOf(failure)}>
        {children}
        <IconPuzzleOff size={14} role="img" aria-label={`Shown as text: ${textOf(failure)}`} />
      </span>
    );
  }
  return (
    <>
      <div ref={place} className={classes.cell} hidden={!isShown} />
      {isShown ? null : children}
    </>
  );
}

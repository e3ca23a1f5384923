import { Skeleton } from '@mantine/core';
import { IconPuzzleOff } from '@tabler/icons-react';
import { FieldFrame } from '../fields/field-frame.js';
import type { FieldInputProps } from '../fields/field-input-props.js';
import { JsonInput } from '../fields/json-input.js';
import classes from './extensions.module.css';
import { textOf } from './load-extension.js';
import { useExtensionElement } from './use-extension-element.js';

interface ExtensionInputProps extends FieldInputProps {
  readonly script: string;
  /** The name of the custom element. */
  readonly name: string;
}

/** The input of a module for its field type (UI-75); where it fails, the value is edited as JSON. */
export function ExtensionInput({ script, name, ...props }: ExtensionInputProps) {
  const { field, collection, record, value, error, onChange } = props;
  const { place, isShown, failure } = useExtensionElement({
    script,
    name,
    properties: { field, collection, record, value, error },
    onChange,
  });
  if (failure) {
    return (
      <div>
        <p className={classes.notice} role="alert">
          <IconPuzzleOff size={15} aria-hidden />
          <span>
            The input of {field.name} cannot be shown. {textOf(failure)}
          </span>
        </p>
        <JsonInput {...props} />
      </div>
    );
  }
  return (
    <FieldFrame field={field} error={error}>
      <div ref={place} hidden={!isShown} />
      {isShown ? null : <Skeleton height={34} />}
    </FieldFrame>
  );
}

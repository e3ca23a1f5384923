import { NumberInput as MantineNumberInput } from '@mantine/core';
import { useId } from 'react';
import { FieldFrame } from './field-frame.js';
import type { FieldInputProps } from './field-input-props.js';
import { valueHint } from './value-hint.js';

/** A number. Bounds are shown and left to the server to enforce, so that nothing typed is silently changed. */
export function NumberInput({ field, value, onChange, error }: FieldInputProps) {
  const id = useId();
  return (
    <FieldFrame field={field} error={error} inputId={id} hint={valueHint(field)}>
      <MantineNumberInput
        id={id}
        value={value as number | string}
        error={Boolean(error)}
        onChange={onChange}
        allowDecimal={!field.onlyInt}
        clampBehavior="none"
        step={1}
        min={typeof field.min === 'number' ? field.min : undefined}
        max={typeof field.max === 'number' ? field.max : undefined}
      />
    </FieldFrame>
  );
}

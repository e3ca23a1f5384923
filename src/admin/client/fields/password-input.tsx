import { PasswordInput as MantinePasswordInput } from '@mantine/core';
import { useId } from 'react';
import { FieldFrame } from './field-frame.js';
import type { FieldInputProps } from './field-input-props.js';

/** A password of a field of its own: it is never shown; empty keeps what is stored. */
export function PasswordInput({ field, value, onChange, error, record }: FieldInputProps) {
  const id = useId();
  return (
    <FieldFrame field={field} error={error} inputId={id}>
      <MantinePasswordInput
        id={id}
        value={String(value ?? '')}
        error={Boolean(error)}
        autoComplete="new-password"
        placeholder={record ? 'Leave empty to keep the stored one' : undefined}
        onChange={(event) => onChange(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': `Show or hide ${field.name}` }}
      />
    </FieldFrame>
  );
}

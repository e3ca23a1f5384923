import { Textarea, TextInput as MantineTextInput } from '@mantine/core';
import { useId } from 'react';
import { FieldFrame } from './field-frame.js';
import type { FieldInputProps } from './field-input-props.js';
import { valueHint } from './value-hint.js';

/** Text and e-mail. Text grows with what is written; what is generated when left empty says so. */
export function TextInput({ field, value, onChange, error }: FieldInputProps) {
  const id = useId();
  const common = {
    id,
    value: String(value ?? ''),
    error: Boolean(error),
    placeholder: field.autogeneratePattern ? 'Leave empty to generate one' : undefined,
    'aria-describedby': error ? `${id}-error` : undefined,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  };
  return (
    <FieldFrame field={field} error={error} inputId={id} hint={field.type === 'text' ? valueHint(field) : undefined}>
      {field.type === 'text' ? (
        <Textarea {...common} autosize minRows={1} maxRows={14} />
      ) : (
        <MantineTextInput {...common} type="email" />
      )}
    </FieldFrame>
  );
}

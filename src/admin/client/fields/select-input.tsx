import { MultiSelect, Select } from '@mantine/core';
import { useId } from 'react';
import { isMultiple } from '../api/collection-model.js';
import { FieldFrame } from './field-frame.js';
import type { FieldInputProps } from './field-input-props.js';

/** One or several of fixed values; values that are no longer offered stay visible until they are changed. */
export function SelectInput({ field, value, onChange, error }: FieldInputProps) {
  const id = useId();
  const chosen = [value as string | string[]].flat().filter(Boolean);
  const options = [...new Set([...((field.values as string[] | null) ?? []), ...chosen])];
  const common = {
    id,
    data: options,
    searchable: true,
    clearable: true,
    error: Boolean(error),
    nothingFoundMessage: 'No such option',
    clearButtonProps: { 'aria-label': `Clear ${field.name}` },
  };
  return (
    <FieldFrame
      field={field}
      error={error}
      inputId={id}
      hint={isMultiple(field) ? `${chosen.length} of max ${String(field.maxSelect)}` : undefined}
    >
      {isMultiple(field) ? (
        <MultiSelect
          {...common}
          value={chosen}
          onChange={onChange}
          maxValues={Number(field.maxSelect)}
          hidePickedOptions
        />
      ) : (
        <Select {...common} value={chosen[0] ?? null} onChange={(next) => onChange(next ?? '')} />
      )}
    </FieldFrame>
  );
}

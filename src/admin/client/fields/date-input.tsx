import { ActionIcon, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useId } from 'react';
import { parseStored } from '../design/stored-date.js';
import { FieldFrame } from './field-frame.js';
import type { FieldInputProps } from './field-input-props.js';
import classes from './fields.module.css';

/** The form a `datetime-local` input speaks, in local time or in UTC. */
function toInput(date: Date | null, zone: 'local' | 'utc'): string {
  if (!date) return '';
  const shifted = zone === 'utc' ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

function fromInput(text: string, zone: 'local' | 'utc'): string {
  if (!text) return '';
  const date = new Date(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace('T', ' ');
}

/** A moment, in UTC as it is stored and in local time; both can be edited. */
export function DateInput({ field, value, onChange, error }: FieldInputProps) {
  const id = useId();
  const date = parseStored(value);
  const bounds = [field.min ? `from ${String(field.min)}` : '', field.max ? `until ${String(field.max)}` : '']
    .filter(Boolean)
    .join(' ');
  return (
    <FieldFrame field={field} error={error} hint={bounds || undefined}>
      <div className={classes.dates}>
        {(['utc', 'local'] as const).map((zone) => (
          <TextInput
            key={zone}
            id={`${id}-${zone}`}
            type="datetime-local"
            step={1}
            aria-label={`${field.name} in ${zone === 'utc' ? 'UTC' : 'local time'}`}
            description={zone === 'utc' ? 'UTC' : 'Local time'}
            error={Boolean(error)}
            value={toInput(date, zone)}
            onChange={(event) => onChange(fromInput(event.currentTarget.value, zone))}
          />
        ))}
        {value ? (
          <ActionIcon aria-label={`Clear ${field.name}`} onClick={() => onChange('')}>
            <IconX size={15} />
          </ActionIcon>
        ) : (
          <span />
        )}
      </div>
    </FieldFrame>
  );
}

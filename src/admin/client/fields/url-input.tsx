import { ActionIcon, TextInput } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useId } from 'react';
import { FieldFrame } from './field-frame.js';
import type { FieldInputProps } from './field-input-props.js';

/** A web address, with a way to open it in a new tab. */
export function UrlInput({ field, value, onChange, error }: FieldInputProps) {
  const id = useId();
  const text = String(value ?? '');
  // Anything but http(s) could run script in this page when opened.
  const href = /^https?:\/\//i.test(text) ? text : undefined;
  return (
    <FieldFrame field={field} error={error} inputId={id}>
      <TextInput
        id={id}
        type="url"
        value={text}
        error={Boolean(error)}
        onChange={(event) => onChange(event.currentTarget.value)}
        rightSection={
          href ? (
            <ActionIcon
              component="a"
              href={href}
              target="_blank"
              rel="noopener noreferrer"
              size={26}
              aria-label={`Open ${field.name}`}
            >
              <IconExternalLink size={14} />
            </ActionIcon>
          ) : null
        }
      />
    </FieldFrame>
  );
}

import { Button, Group } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { CodeInput } from '../code/code-input.js';
import { FieldFrame } from './field-frame.js';
import type { FieldInputProps } from './field-input-props.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON as text, with a mark for validity and a button that tidies it. */
export function JsonInput({ field, value, onChange, error }: FieldInputProps) {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2);
  const valid = text.trim() === '' || isJson(text);
  return (
    <FieldFrame
      field={field}
      error={error}
      aside={
        <Group gap={6}>
          {text.trim() === '' ? null : (
            <span
              style={{
                display: 'inline-flex',
                gap: 4,
                alignItems: 'center',
                fontSize: 12,
                color: valid ? 'var(--success)' : 'var(--danger)',
              }}
            >
              {valid ? <IconCircleCheck size={14} aria-hidden /> : <IconAlertCircle size={14} aria-hidden />}
              {valid ? 'Valid' : 'Not valid'}
            </span>
          )}
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            disabled={!valid || !text.trim()}
            onClick={() => onChange(JSON.stringify(JSON.parse(text), null, 2))}
          >
            Format
          </Button>
        </Group>
      }
    >
      <CodeInput
        language="json"
        label={field.name}
        value={text}
        onChange={onChange}
        invalid={Boolean(error)}
        minHeight={84}
        maxHeight={360}
      />
    </FieldFrame>
  );
}

import { Switch } from '@mantine/core';
import { FieldMarks } from './field-frame.js';
import classes from './fields.module.css';
import type { FieldInputProps } from './field-input-props.js';

export function BoolInput({ field, value, onChange, error }: FieldInputProps) {
  return (
    <div className={classes.field} data-field={field.name} data-invalid={error ? true : undefined}>
      <Switch
        checked={Boolean(value)}
        onChange={(event) => onChange(event.currentTarget.checked)}
        label={
          <span className={classes.label}>
            {field.name}
            <FieldMarks field={field} />
          </span>
        }
        description={field.help || undefined}
        error={error}
      />
    </div>
  );
}

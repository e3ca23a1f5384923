import { Switch } from '@mantine/core';
import classes from './fields.module.css';
import type { FieldInputProps } from './field-input-props.js';

export function BoolInput({ field, value, onChange, error }: FieldInputProps) {
  return (
    <div className={classes.field} data-field={field.name}>
      <Switch
        checked={Boolean(value)}
        onChange={(event) => onChange(event.currentTarget.checked)}
        label={field.name}
        description={field.help || undefined}
        error={error}
      />
    </div>
  );
}
